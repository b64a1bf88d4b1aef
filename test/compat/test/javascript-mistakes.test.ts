import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oauth } from '@mcp-fittings/auth-oauth';
import { layouts, loadConfig } from '@mcp-fittings/config';
import { createHost } from '@mcp-fittings/host';
import { openHost } from '@mcp-fittings/preset';
import { memoryStore } from '@mcp-fittings/store-file';
import { createTools } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, it } from 'vitest';

/** A program without types passes anything. */
type Anything = (...args: readonly unknown[]) => unknown;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler refuses these calls, and a program without types makes them
const untyped = (callee: unknown): Anything => callee as Anything;

const named = { name: 'a', version: '1', transports: [] };
const host = createHost(named);

it.each<readonly [string, () => unknown, string]>([
  ['createHost(): transport', () => untyped(createHost)({ ...named, transport: [] }), '"transports"'],
  ['createHost(): a limit', () => untyped(createHost)({ ...named, limits: { connectMS: 1 } }), '"connectMs"'],
  ['host.on(): states', () => untyped(host.on.bind(host))('states', () => undefined), '"state"'],
  ['host.on(): no listener', () => untyped(host.on.bind(host))('state'), 'must be a function'],
  ['createTools(): no host', () => untyped(createTools)(), 'createHost()'],
  ['createTools(): polcy', () => untyped(createTools)(host, { polcy: 1 }), '"policy"'],
  ['openHost(): server', () => untyped(openHost)({ ...named, server: {} }), '"servers"'],
  ['openHost(): keychan', () => untyped(openHost)({ ...named, store: 'keychan' }), '"keychain"'],
  ['openHost(): without htpp', () => untyped(openHost)({ ...named, without: ['htpp'] }), '"http"'],
  ['oauth(): nothing', () => untyped(oauth)(), 'clientName'],
  ['oauth(): no store', () => untyped(oauth)({ clientName: 'a' }), 'store'],
  [
    'oauth(): clientname',
    () => untyped(oauth)({ clientName: 'a', store: memoryStore(), interactions: 1 }),
    '"interaction"',
  ],
  ['loadConfig(): nothing', () => untyped(loadConfig)(), 'layout'],
  ['loadConfig(): no layout', () => untyped(loadConfig)({}), 'layouts.claude'],
  ['loadConfig(): the name of a layout', () => untyped(loadConfig)({ layout: 'claude' }), 'layouts.claude'],
  [
    'loadConfig(): approve',
    () => untyped(loadConfig)({ layout: layouts.claude, approval: 1 }),
    '"approvals"',
  ],
])(
  'a mistake of a program without types is CONFIG_INVALID, and says what was meant: %s',
  async (_, mistake, hint) => {
    const error: unknown = await Promise.resolve()
      .then(mistake)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(`${String(error)} ${String(Reflect.get(Object(error), 'hint'))}`).toContain(hint);
  },
);

it.each([true, 'yes', undefined])(
  'an answer of confirm other than the four does not tell the model that the user declined: %j',
  async (answer) => {
    const server = (): McpServer => {
      const mcp = new McpServer({ name: 's', version: '1' });
      mcp.registerTool('t', {}, () => ({ content: [] }));
      return mcp;
    };
    await using own = createHost({ ...named, transports: [inprocess({ servers: { s: server } })] });
    await own.connect({ s: { type: 'sdk' } });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const confirm = (async () => answer) as never;
    const event = await createTools(own, { confirm }).snapshot().run('mcp__s__t', {});
    expect(event).toMatchObject({ type: 'error', error: { code: 'CALLBACK_FAILED' } });
    expect(event.rendering.text).not.toContain('declined');
  },
);

it('fittings says which Node.js it needs, where an older one runs it', async () => {
  const folder = join(import.meta.dirname, '../../../packages/cli');
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}})`;
  const child = spawn(process.execPath, ['--import', old, join(folder, 'dist/bin.js'), '--version'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringContaining(
      `needs Node.js ${engines.node.replace('>=', '')} or newer, and this is 18.20.8`,
    ),
  });
});
