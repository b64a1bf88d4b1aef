import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/client-core/timing';
import { homeDirectory } from '@mcp-fittings/config';
import type { CatalogTool } from '@mcp-fittings/host';
import { DEFAULT_LIMITS } from '@mcp-fittings/host/guards';
import { stdio } from '@mcp-fittings/transport-stdio';
import type { CommandDeps } from '../command-deps.js';
import { placeOptions } from '../session/load-servers.js';
import { type CommandSession, sessionOptions } from '../session/open-session.js';
import { pinsFolder } from '../session/pins.js';
import type { Inputs } from './inputs.js';
import { openMemory } from './memory.js';
import { inheritedMark, openCallStore } from './stored-calls.js';
import {
  CHECKED_MS,
  openServerStore,
  removeExpiredServers,
  type StoredServerCalls,
} from './stored-servers.js';

interface CallToRemember {
  /** The tool as the user named it. */
  readonly text: string;
  /** For a server of the shared process. */
  readonly ticket: string | undefined;
  readonly definition: CatalogTool;
  readonly variables: Iterable<string>;
  readonly loadedAt: number;
}

/** Most calls that are kept for one folder, the latest ones. */
const MOST_CALLS = 100;

/**
 * Stores what `callShared` and `callLocally` need to make a call again that has passed all checks. Not for a server or a tool for
 * which they could not do what the ordinary way does: with secrets to hide, with variables that are not inherited by default, with
 * an output schema to check, or, with a shared server, when the user can be asked.
 */
export async function rememberCall(
  deps: CommandDeps,
  session: CommandSession,
  { text, ticket, definition, variables, loadedAt }: CallToRemember,
): Promise<void> {
  const { options, interactive } = deps;
  const { server, name: tool, outputSchema } = definition;
  const { loaded, host, secrets } = session;
  const entry = loaded.servers[server];
  const { state } = host.server(server);
  const revision = state.status === 'connected' ? state.connection.protocolVersion : undefined;
  const isPlain =
    text === `${server}/${tool}` &&
    secrets.length === 0 &&
    outputSchema === undefined &&
    entry?.['inheritEnv'] === undefined &&
    (ticket === undefined || !interactive) &&
    // Later revisions name the client in each request.
    (revision ?? '9') < '2026';
  const launch = ticket === undefined && isPlain ? launchOf(session, server, options.verbose) : undefined;
  if (!isPlain || (ticket === undefined && launch === undefined)) return;
  const memory = await openMemory(deps, session, { variables, loadedAt });
  const home = await homeDirectory(placeOptions(sessionOptions(deps)));
  const inputs = await memory.inputs([pinsFolder(home, process.platform)]);
  if (inputs === undefined) return;
  // The call was made. That it cannot be stored costs the next run its speed.
  await (
    ticket === undefined
      ? rememberServer(deps, session, { ...definition, inputs, launch })
      : rememberTicket(deps, { text, ticket, definition, inputs })
  ).catch(() => undefined);
}

async function rememberTicket(
  { options, env, cwd, clock }: CommandDeps,
  {
    text,
    ticket,
    definition,
    inputs,
  }: Pick<CallToRemember, 'text' | 'definition'> & { readonly ticket: string; readonly inputs: Inputs },
): Promise<void> {
  const { server, name: tool, inputSchema } = definition;
  const store = openCallStore({ ...options, cwd }, env);
  const before = await store.read();
  const call = { server, tool, inputSchema, ticket, checkedAt: clock.now() };
  const environment = inheritedMark();
  const isSame = before?.environment === environment && isEqual(before.inputs, inputs);
  const kept = isSame ? Object.entries(before.calls).filter(([name]) => name !== text) : [];
  const calls = Object.fromEntries([...kept, [text, call]].slice(-MOST_CALLS));
  await store.write({ inputs, environment, calls });
}

type Launch = Pick<StoredServerCalls, 'entry' | 'connectMs' | 'callMs'>;

async function rememberServer(
  { options, env, cwd, clock, interactive }: CommandDeps,
  { host }: CommandSession,
  {
    server,
    name,
    inputs,
    launch,
  }: Pick<CatalogTool, 'server' | 'name'> & { readonly inputs: Inputs; readonly launch: Launch | undefined },
): Promise<void> {
  const { state, lists } = host.server(server);
  // A list with entries that were left out is not compared.
  if (launch === undefined || state.status !== 'connected' || lists.tools.skipped.length > 0) return;
  const store = openServerStore(server, { ...options, cwd, interactive }, env);
  const checked = {
    inputs,
    ...launch,
    tools: host
      .tools()
      .filter((each) => each.server === server)
      .map(({ server: _server, digest: _digest, serverState: _state, ...definition }) => definition),
    instructions: state.connection.instructions ?? null,
  };
  const before = await store.read();
  const { called = [], checkedAt = 0, ...rest } = before ?? {};
  const isSame = isEqual(rest, checked);
  // To write it takes as long as to read it a hundred times.
  if (isSame && called.includes(name) && isRecent(checkedAt, CHECKED_MS / 2, clock.now())) return;
  const others = isSame ? called.filter((each) => each !== name) : [];
  await store.write({ ...checked, called: [...others, name], checkedAt: clock.now() });
  await removeExpiredServers(clock.now());
}

/** Fields of an entry that decide how `callLocally` starts the server, and those that only decide what is called. */
const KNOWN_FIELDS = new Set([
  'type',
  'command',
  'args',
  'cwd',
  'framing',
  'stderr',
  'maxMessageBytes',
  'maxQueuedBytes',
  'timeout',
  'connectTimeout',
  'lazy',
]);
/**
 * Returns what starts a local server; undefined if its entry sets variables, or uses them, whose values are not written down, or
 * if it says more than `callLocally` knows.
 */
function launchOf({ loaded }: CommandSession, server: string, isVerbose: boolean): Launch | undefined {
  const { config, definition } =
    loaded.entries.find(({ name, status }) => name === server && status === 'ready') ?? {};
  if (config === undefined || definition === undefined || isVerbose || server.includes('/')) return undefined;
  // With a shared sign-in, all servers are told that the client has its extension.
  if (
    loaded.entries.some(
      (entry) => isRecord(entry.definition?.['oauth']) && 'identityProvider' in entry.definition['oauth'],
    )
  )
    return undefined;
  const isKnown = Object.keys(config).every((name) => KNOWN_FIELDS.has(name));
  if (!isKnown || usesVariables(config, definition)) return undefined;
  const parsed = stdio().schema['~standard'].validate(config);
  if (parsed instanceof Promise || parsed.issues !== undefined) return undefined;
  const { timeout: callMs = DEFAULT_LIMITS.callMs, connectTimeout = DEFAULT_LIMITS.connectMs } = config;
  return typeof connectTimeout === 'number'
    ? { entry: parsed.value, connectMs: connectTimeout, callMs }
    : undefined;
}

/** Whether the fields that start a server are not those that its file has. Without `cwd`, it is started in the home directory. */
function usesVariables(config: ServerConfig, definition: ServerConfig): boolean {
  const names = ['command', 'args', ...(definition['cwd'] === undefined ? [] : ['cwd'])];
  return names.some((name) => !isEqual(config[name], definition[name]));
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
