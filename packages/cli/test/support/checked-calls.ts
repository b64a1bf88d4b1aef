import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openWorkspace, type Run, type Workspace } from './workspace.js';

const SERVER = fileURLToPath(new URL('checked-server.mjs', import.meta.url));
/** A call of the server. */
export const ECHO = ['call', 'checked/echo', 'text=hi'];

interface Noted {
  readonly log: readonly string[];
}

/** A server, and runs of `fittings` that call its tools. */
export interface CheckedCalls extends AsyncDisposable {
  readonly workspace: Workspace;
  /** The file with the server. */
  readonly config: string;
  /** Runs a command, and returns what the server noted meanwhile too. */
  run(args: readonly string[], options?: Parameters<Workspace['fittings']>[1]): Promise<Run & Noted>;
  /** Returns what the server noted meanwhile too. */
  noted<T extends object>(run: () => Promise<T>): Promise<T & Noted>;
  /** What the server does otherwise from its next start on. */
  behave(settings: object): Promise<void>;
  configure(entry: object): Promise<void>;
}

/** Creates a workspace with the server `checked` as its only one; `entry` adds fields to it. `fittings` runs as in {@link openWorkspace}. */
export async function setUp(
  entry: object = {},
  place: Parameters<typeof openWorkspace>[0] = { here: true },
): Promise<CheckedCalls> {
  const workspace = await openWorkspace(place);
  const [log, settings, config] = ['log', 'settings.json', 'servers.json'].map((name) =>
    join(workspace.home, name),
  );
  if (log === undefined || settings === undefined || config === undefined) throw new Error();
  await writeFile(log, '');
  const setup: CheckedCalls = {
    workspace,
    config,
    async noted(run) {
      const before = readFileSync(log, 'utf8').length;
      const result = await run();
      return { ...result, log: readFileSync(log, 'utf8').slice(before).split('\n').filter(Boolean) };
    },
    run: (args, options) =>
      setup.noted(() =>
        workspace.fittings(['--strict-mcp-config', '--mcp-config', config, ...args], options),
      ),
    behave: (value) => writeFile(settings, JSON.stringify(value)),
    async configure(changed) {
      const checked = { command: process.execPath, args: [SERVER, log, settings], ...changed };
      await writeFile(config, JSON.stringify({ mcpServers: { checked } }));
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
  await setup.configure(entry);
  return setup;
}

/** The calls that the server noted. */
export const called = (log: readonly string[]): readonly string[] =>
  log.filter((line) => line.startsWith('called '));
