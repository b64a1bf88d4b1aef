import { homeDirectory } from '@mcp-fittings/config';
import type { CatalogTool } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';
import { placeOptions } from '../session/load-servers.js';
import { type CommandSession, sessionOptions } from '../session/open-session.js';
import { pinsFolder } from '../session/pins.js';
import { openMemory } from './memory.js';
import { inheritedMark, openCallStore } from './stored-calls.js';

interface CallToRemember {
  /** The tool as the user named it. */
  readonly text: string;
  readonly ticket: string;
  readonly definition: CatalogTool;
  readonly variables: Iterable<string>;
  readonly loadedAt: number;
}

/** Most calls that are kept for one folder, the latest ones. */
const MOST_CALLS = 100;

/**
 * Stores what `callAtOnce` needs to make a call again that has passed all checks. Not for a server or a tool for which it
 * could not do what the ordinary way does: with secrets to hide, with variables that are not inherited by default, with an output
 * schema to check, or when the user can be asked.
 */
export async function rememberCall(
  deps: CommandDeps,
  session: CommandSession,
  { text, ticket, definition, variables, loadedAt }: CallToRemember,
): Promise<void> {
  const { options, env, cwd, clock, interactive } = deps;
  const { server, name: tool, inputSchema, outputSchema } = definition;
  const { loaded, host, secrets } = session;
  const entry = loaded.servers[server];
  const { state } = host.server(server);
  const revision = state.status === 'connected' ? state.connection.protocolVersion : undefined;
  const isPlain =
    text === `${server}/${tool}` &&
    secrets.length === 0 &&
    outputSchema === undefined &&
    entry?.['inheritEnv'] === undefined &&
    !interactive &&
    // Later revisions name the client in each request.
    (revision ?? '9') < '2026';
  if (!isPlain) return;
  const memory = await openMemory(deps, session, { variables, loadedAt });
  const home = await homeDirectory(placeOptions(sessionOptions(deps)));
  const inputs = await memory.inputs([pinsFolder(home, process.platform)]);
  if (inputs === undefined) return;
  const store = openCallStore({ ...options, cwd }, env);
  const before = await store.read();
  const call = { server, tool, inputSchema, ticket, checkedAt: clock.now() };
  const environment = inheritedMark();
  const isSame =
    before?.environment === environment && JSON.stringify(before.inputs) === JSON.stringify(inputs);
  const kept = isSame ? Object.entries(before.calls).filter(([name]) => name !== text) : [];
  const calls = Object.fromEntries([...kept, [text, call]].slice(-MOST_CALLS));
  // The call was made. That it cannot be stored costs the next run its speed.
  await store.write({ inputs, environment, calls }).catch(() => undefined);
}
