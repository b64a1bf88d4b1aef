import { expect, describe, it } from 'vitest';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import { sdkV1 } from '@mcp-fittings/engine-sdk/v1';
import { sdkV2 } from '@mcp-fittings/engine-sdk/v2';
import { createHost, type Host } from '@mcp-fittings/host';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';

const text = (value: string) => ({ type: 'text', text: value });
const tools = [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }];

type Answers = Readonly<Record<string, JSONRPCObject>>;

/** Serves one transport without any library, so that nothing repairs or refuses a result. */
async function serve(transport: Transport, answers: Answers): Promise<void> {
  transport.onmessage = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const { id, method, params } = message;
    const version = params?.['protocolVersion'];
    const result =
      method === 'initialize' ? { ...answers[method], protocolVersion: version } : answers[method];
    const body = result === undefined ? { error: { code: -32_601, message: `no ${method}` } } : { result };
    void transport.send({ jsonrpc: '2.0', id, ...body });
  };
  await transport.start();
}

const capabilities = { tools: {} };
const LEGACY: Answers = {
  initialize: { capabilities, serverInfo: { name: 'raw', version: '1' } },
  'tools/list': { tools },
};
const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const MODERN: Answers = {
  'server/discover': { ...fresh, supportedVersions: ['2026-07-28'], capabilities },
  'tools/list': { ...fresh, tools },
};

describe.each([
  ['SDK v1', sdkV1, LEGACY, {}],
  ['SDK v2', sdkV2, LEGACY, {}],
  ['SDK v2, revision 2026-07-28', sdkV2, MODERN, fresh],
] as const)('results that an SDK would refuse or change, on %s', (_name, engine, answers, members) => {
  const hostOf = async (more: Answers): Promise<Host> => {
    const plugin = {
      specVersion: 1,
      type: 'raw',
      schema: {
        '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }) },
      },
      create(_entry: unknown, { server }: { readonly server: string }) {
        const [client, other] = createLinkedPair({ server });
        void serve(other, { ...answers, ...more });
        return client;
      },
    } as const;
    const host = createHost({
      name: 'tests',
      version: '1.0.0',
      engine: engine(),
      transports: [plugin],
      defaults: { reconnect: { maxAttempts: 0 } },
    });
    await host.connect({ a: { type: 'raw' } });
    return host;
  };
  const call = (host: Host) => host.callTool({ server: 'a', tool: 't' });

  it('one malformed tool is left out on its own', async () => {
    const list = { ...answers['tools/list'], tools: [...tools, { name: 7 }] };
    await using host = await hostOf({ 'tools/list': list });
    expect(host.tools().map(({ name }) => name)).toEqual(['t']);
    expect(host.server('a').lists.tools.skipped).toHaveLength(1);
  });

  it.each([
    ['an unknown block', { content: [{ type: 'hologram', beam: 1 }] }, 'unknown'],
    ['the member of revision 2024-10-07', { toolResult: 'three' }, 'text'],
  ])('%s becomes content', async (_what, result, type) => {
    await using host = await hostOf({ 'tools/call': { ...members, ...result } });
    expect((await call(host)).content).toMatchObject([{ type }]);
  });

  it.each([
    ['a member of _meta that an SDK reads', { progressToken: ['odd'], 'a/b': 1 }],
    ['what marks a result', { 'com.mcp-fittings/raw': { content: [] } }],
  ])('%s changes nothing', async (_what, _meta) => {
    await using host = await hostOf({ 'tools/call': { ...members, content: [text('a')], _meta } });
    expect(await call(host)).toEqual({ content: [text('a')], _meta });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['no name and version', { serverInfo: undefined }],
    ['no version', { serverInfo: { name: 'raw' } }],
    ['a name that is not a text', { serverInfo: { name: 7, version: '1' } }],
    ['null as its name and version', { serverInfo: null }],
    ['null as its instructions and metadata', { serverInfo: null, instructions: null, _meta: null }],
    ['instructions that are not a text', { serverInfo: null, instructions: 7 }],
    ['null as a capability', { serverInfo: null, capabilities: { ...capabilities, prompts: null } }],
    ['null in a capability', { serverInfo: null, capabilities: { tools: { listChanged: null } } }],
  ])('a server that states %s is connected', async (_what, { serverInfo, ...gap }) => {
    const isStateless = 'server/discover' in answers;
    const stated = isStateless
      ? { _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
      : { serverInfo };
    const method = isStateless ? 'server/discover' : 'initialize';
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server may send anything
    const result = { ...answers[method], ...stated, ...gap } as JSONRPCObject;
    await using host = await hostOf({ [method]: result });
    expect(host.server('a').lastError).toBeUndefined();
    expect(host.server('a').state).toMatchObject({
      connection: { protocolVersion: isStateless ? '2026-07-28' : '2025-11-25', serverInfo: undefined },
    });
    expect(host.tools().map(({ name }) => name)).toEqual(['t']);
  });

  it('a server that states its name, and null as its title, has its name', async () => {
    const serverInfo = { name: 'raw', version: '1', title: null, icons: null };
    const isStateless = 'server/discover' in answers;
    const stated = isStateless
      ? { _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
      : { serverInfo };
    const method = isStateless ? 'server/discover' : 'initialize';
    await using host = await hostOf({ [method]: { ...answers[method], ...stated } });
    const { state } = host.server('a');
    expect(state).toMatchObject({ connection: { serverInfo: { name: 'raw', version: '1' } } });
  });

  it('a handshake that is too large to keep is refused', async () => {
    const method = 'server/discover' in answers ? 'server/discover' : 'initialize';
    const large = { ...answers[method], instructions: 'x'.repeat(2_000_000) };
    await using host = await hostOf({ [method]: large });
    expect(host.server('a').state.status).toBe('failed');
  });
});
