import { readFileSync } from 'node:fs';
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { cacheFolder } from '../../src/stored-lists/stored-lists.js';
import { openWorkspace, type Run, type Workspace } from './workspace.js';

const SERVER = fileURLToPath(new URL('checked-server.mjs', import.meta.url));
/** A call of the server. */
export const ECHO = ['call', 'checked/echo', '--arg', 'text=hi'];

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
  /** Runs it until it is done without a host, which looks for the revision of the server first. */
  untilQuick(args: readonly string[]): Promise<void>;
  /** What the server does otherwise from its next start on. */
  behave(settings: object): Promise<void>;
  configure(entry: object): Promise<void>;
}

/** Creates a workspace with the server `checked` as its only one; `entry` adds fields to it. */
export async function setUp(entry: object = {}): Promise<CheckedCalls> {
  const workspace = await openWorkspace();
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
    async untilQuick(args) {
      for (let calls = 1; (await setup.run(args)).log.includes('server/discover'); calls++) {
        // The pins of the first call, and what else was changed within two seconds, are not relied on.
        await sleep(calls === 1 ? 2_000 : 500);
      }
    },
    behave: (value) => writeFile(settings, JSON.stringify(value)),
    async configure(changed) {
      const checked = { command: process.execPath, args: [SERVER, log, settings], ...changed };
      await writeFile(config, JSON.stringify({ mcpServers: { checked } }));
      await utimes(config, 0, 0);
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
  await setup.configure(entry);
  return setup;
}

/** Files of the records of this workspace. */
export async function recordsOf({ home }: Workspace): Promise<readonly string[]> {
  const folder = join(cacheFolder(home), 'calls');
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

/** What the server notes of a repeated call, which has the capabilities of an ordinary one. */
export const quickLog = (tool: string, ordinary: readonly string[]): readonly unknown[] => [
  'started',
  'initialize',
  ordinary.find((line) => line.startsWith('capabilities ')),
  'notifications/initialized',
  'tools/list',
  'tools/call',
  `called ${tool}`,
];

/** The calls that the server noted. */
export const called = (log: readonly string[]): readonly string[] =>
  log.filter((line) => line.startsWith('called '));

/** An option that changes nothing, and that only the ordinary way knows. */
export const ORDINARY = ['--timeout', '600'];

/** Adds a tool to those that were called, in the only record. */
export async function allow(workspace: Workspace, tool: string): Promise<void> {
  const [path = '', ...others] = await recordsOf(workspace);
  expect(others).toEqual([]);
  const record = JSON.parse(await readFile(path, 'utf8')) as { value: { called: string[] } };
  if (!record.value.called.includes(tool)) record.value.called.push(tool);
  await writeFile(path, JSON.stringify(record));
}
