import { readFile, readdir } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { BIN } from './support/bridge-process.js';
import { only, openWorkspace } from './support/workspace.js';

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

it('finds the thread that checks results, which is a part of it', async () => {
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
    (specifier) => !/^(?:\.\/|node:|ajv)/.test(specifier) && !isBuiltin(specifier),
  );
  // Of ajv there is only text, for code that it could write. The rest are native modules, which cannot be a part of it: that of the keychain, and two that `ws` does without.
  expect(others.toSorted()).toEqual(['@napi-rs/keyring', 'bufferutil', 'utf-8-validate']);
  expect(found.size).toBeGreaterThan(10);
});

it('brings the licenses of the packages that are a part of it', async () => {
  const text = await readFile(join(dirname(BIN), 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['commander', 'zod', '@modelcontextprotocol/server', 'jsonc-parser'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(text).not.toContain('License: undefined');
});
