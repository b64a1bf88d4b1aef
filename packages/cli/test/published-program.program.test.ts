import { chmod, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BIN } from './support/bridge-process.js';
import { only, openWorkspace, type Workspace } from './support/workspace.js';

const SERVER = `
import { createInterface } from 'node:readline';
const outputSchema = { type: 'object', properties: { degrees: { type: 'number' } } };
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'measure', inputSchema: { type: 'object' }, outputSchema }] },
  'tools/call': { content: [], structuredContent: { degrees: 'warm' } },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const body = method in answers ? { result: answers[method] } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
});`;

it('checks results against the output schema of the tool', async () => {
  await using workspace = await openWorkspace();
  const script = await workspace.write('server.mjs', SERVER);
  const servers = only({ weather: { command: process.execPath, args: [script] } });
  const { code, stderr } = await workspace.fittings(['call', 'weather/measure', ...servers]);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('expected number') as string,
  });
});

it('imports no package: everything that it needs is a part of it', async () => {
  const folder = dirname(BIN);
  const found = new Set<string>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/\b(?:require|import)\(["'`]([^"'`]+)["'`]\)/g))
      found.add(specifier);
  }
  const others = [...found].filter(
    (specifier) => !/^(?:\.\/|node:|ajv)/.test(specifier) && !nodeModule.isBuiltin(specifier),
  );
  // Of ajv there is only text, for code that it could write. The rest are native modules that `ws` does without, and what only a
  // Node.js without web streams loads.
  const polyfill = 'web-streams-polyfill/dist/ponyfill.es2018.js';
  expect(others.toSorted()).toEqual(['bufferutil', 'utf-8-validate', polyfill]);
  expect(found.size).toBeGreaterThan(10);
});

it('brings the licenses of the packages that are a part of it', async () => {
  const text = await readFile(join(dirname(BIN), 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['commander', 'zod', 'jsonc-parser'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(text).not.toContain('License: undefined');
});

/** Runs a command, and returns which packages of others it loaded: each is known by a text that no other has. */
async function loadedBy(workspace: Workspace, args: readonly string[]): Promise<readonly string[]> {
  const coverage = join(workspace.home, 'coverage');
  expect(await workspace.fittings(args, { env: { NODE_V8_COVERAGE: coverage } })).toMatchObject({ code: 0 });
  const files = new Set<string>();
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as {
      result: readonly { url: string }[];
    };
    for (const { url } of result) if (url.startsWith('file:')) files.add(fileURLToPath(url));
  }
  await rm(coverage, { recursive: true });
  const own = [...files].filter((file) => dirname(file) === dirname(BIN));
  const text = (await Promise.all(own.map((file) => readFile(file, 'utf8')))).join('\n');
  const marks = { zod: 'ZodType', oauth4webapi: 'code_challenge_method', undici: 'UND_ERR_NOT_SUPPORTED' };
  return Object.entries(marks).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []));
}

it('loads what signs in, and undici, only for a server that is connected', async () => {
  await using workspace = await openWorkspace();
  const script = await workspace.write('server.mjs', SERVER);
  const weather = { command: process.execPath, args: [script] };
  const remote = { url: 'http://127.0.0.1:9/mcp', lazy: true };
  const call = ['call', 'weather/measure', '--store', 'memory'];
  expect(await loadedBy(workspace, ['--version'])).toEqual([]);
  expect(await loadedBy(workspace, [...call, ...only({ weather })])).toEqual(['zod']);
  const both = [...call, ...only({ weather, remote })];
  expect(await loadedBy(workspace, both)).toEqual(['zod']);
});

it('keeps compiled code in a private folder of the account, where Node.js can, and else none', async () => {
  await using workspace = await openWorkspace();
  const folder = join(workspace.home, '.cache/mcp-fittings/compiled');
  const kept = async () => (await readdir(folder).catch(() => [])).length;
  await workspace.fittings(['--version']);
  const canKeep = 'enableCompileCache' in nodeModule;
  expect(await kept()).toBe(canKeep ? 1 : 0);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  expect(await workspace.fittings(['--version'])).toMatchObject({ code: 0, stderr: '' });
  expect(await kept()).toBe(0);
  await chmod(folder, 0o700);
  await workspace.fittings(['--version']);
  expect(await kept()).toBe(canKeep ? 1 : 0);
});
