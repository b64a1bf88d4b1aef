import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuthRequiredError, type TransportPlugin } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { HostEvents } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { jsonRpcServer } from './support/json-rpc-server.js';
import { reaches } from './support/recorder.js';
import { modern, RpcFailure, scripted, SILENCE, type Answer } from './support/scripted.js';

const good = { name: 'good', inputSchema: { type: 'object' } };
const notThere: Answer = () => {
  throw new RpcFailure(-32601, 'no such method');
};
const fails: Answer = () => {
  throw new RpcFailure(-32603, 'the database is away');
};

describe('lists', () => {
  function hostOn(server: ReturnType<typeof scripted>, more: object = {}) {
    const clock = createManualClock();
    const host = testHost([testServers(() => server).plugin], { clock, random: () => 0, ...more });
    onTestFinished(() => host.close());
    const errors: HostEvents['error'][] = [];
    host.on('error', (event) => errors.push(event));
    return { host, clock, errors };
  }

  it.each(['tools', 'prompts', 'resources', 'resourceTemplates'] as const)(
    'null in place of %s leaves the list empty, and is reported',
    async (kind) => {
      const method = kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`;
      const { host, errors } = hostOn(scripted({ [method]: () => ({ [kind]: null }) }));
      const [snapshot] = await host.connect({ a: { type: 'test' } });
      expect(snapshot?.state.status).toBe('connected');
      const reason = `the result of ${method} has null in place of a list`;
      expect(snapshot?.lists[kind]).toMatchObject({ error: undefined, skipped: [reason] });
      expect(errors).toMatchObject([{ error: { message: expect.stringContaining(reason) } }]);
    },
  );

  it.each([65_537, 1_000_000])('a cursor of %d characters is not sent back', async (length) => {
    const cursors: unknown[] = [];
    const server = scripted({
      'tools/list': ({ cursor }) => {
        cursors.push(cursor);
        return { tools: [good], nextCursor: 'x'.repeat(length) };
      },
    });
    const { host } = hostOn(server);
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(snapshot?.lists.tools.skipped).toEqual(['a cursor has more than 65536 characters']);
    expect(host.tools()).toHaveLength(1);
    expect(cursors).toEqual([undefined]);
  });

  it('a failed tools/list is a failed attempt, which is repeated with increasing delays', async () => {
    let failures = 2;
    const server = scripted({
      'tools/list': (params) => (failures-- > 0 ? fails(params) : { tools: [good] }),
    });
    const { host, clock } = hostOn(server);
    const [first] = await host.connect({ a: { type: 'test' } });
    expect(first).toMatchObject({
      state: { status: 'pending', attempt: 2, error: { code: 'RPC_ERROR', details: { list: 'tools' } } },
      lastError: { message: expect.stringContaining('could not list its tools') },
      lists: { tools: { error: { code: 'RPC_ERROR' } }, prompts: { error: undefined } },
    });
    await clock.advance(1000);
    await reaches(host, 'a', 'pending');
    await clock.advance(2000);
    await reaches(host, 'a', 'connected');
    expect(host.tools()).toMatchObject([{ name: 'good', serverState: 'connected' }]);
    expect(host.server('a').lists.tools.error).toBeUndefined();
  });

  it.each([
    ['an error', fails],
    ['a method that is not there', notThere],
    ['an answer without a list', () => ({})],
    ['an answer with something else', () => ({ tools: 'none' })],
  ])(
    '%s for tools/list never ends as connected; a call then does not say TOOL_UNKNOWN',
    async (_case, answer) => {
      const { host } = hostOn(scripted({ 'tools/list': answer }));
      const [snapshot] = await host.connect({ a: { type: 'test', reconnect: { maxAttempts: 0 } } });
      expect(snapshot?.state.status).toBe('failed');
      expect(snapshot?.lists.tools.error).toBeDefined();
      await expect(host.callTool({ server: 'a', tool: 'x' })).rejects.toMatchObject({
        code: expect.not.stringMatching('TOOL_UNKNOWN'),
        delivery: 'not-sent',
        message: expect.stringContaining('could not list its tools'),
      });
    },
  );

  it('a failed refresh keeps the old list, is reported, and is repeated', async () => {
    let answer: Answer = () => ({ tools: [good] });
    const server = scripted({ 'tools/list': (params) => answer(params) }, { tools: { listChanged: true } });
    const { host, clock, errors } = hostOn(server);
    await host.connect({ a: { type: 'test' } });
    answer = fails;
    await server.notify('notifications/tools/list_changed');
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), { timeout: 20_000 });
    await clock.advance(250);
    await vi.waitFor(() => expect(host.server('a').lists.tools.error).toMatchObject({ code: 'RPC_ERROR' }), {
      timeout: 20_000,
    });
    expect(host.server('a')).toMatchObject({
      state: { status: 'connected' },
      lastError: { details: { list: 'tools' } },
      counts: { tools: 1 },
    });
    expect(errors.map(({ error }) => error.details['list'])).toEqual(['tools']);
    expect(host.tools()).toHaveLength(1);
    answer = () => ({ tools: [good, { ...good, name: 'new' }] });
    await clock.advance(1000);
    await vi.waitFor(() => expect(host.tools()).toHaveLength(2), { timeout: 20_000 });
    expect(host.server('a').lists.tools.error).toBeUndefined();
  });

  it('a failed list of prompts does not affect the tools, is reported, and is repeated', async () => {
    let failures = 1;
    const server = scripted({
      'tools/list': () => ({ tools: [good] }),
      'prompts/list': (params) => (failures-- > 0 ? fails(params) : { prompts: [{ name: 'p' }] }),
    });
    const { host, clock } = hostOn(server);
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(snapshot).toMatchObject({
      state: { status: 'connected' },
      lastError: { details: { list: 'prompts' } },
      lists: { prompts: { error: { code: 'RPC_ERROR' } }, tools: { error: undefined } },
    });
    await clock.advance(1000);
    await vi.waitFor(() => expect(host.prompts()).toMatchObject([{ name: 'p' }]), { timeout: 20_000 });
  });

  it('an optional list that the server does not have is empty without an error', async () => {
    const server = scripted({
      'tools/list': () => ({ tools: [good] }),
      'prompts/list': notThere,
      'resources/templates/list': notThere,
    });
    const { host, errors } = hostOn(server);
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(snapshot).toMatchObject({ state: { status: 'connected' }, lastError: undefined });
    expect(errors).toEqual([]);
  });

  it('one malformed entry affects only itself, in every list', async () => {
    const flawed = [
      good,
      { name: 'no type', inputSchema: { properties: { a: {} } } },
      {
        name: 'nulls',
        title: null,
        description: null,
        annotations: null,
        outputSchema: null,
        _meta: null,
        icons: null,
        inputSchema: { type: 'object' },
      },
      { ...good, name: 'icons', icons: [{ src: 7 }, { src: 'https://x/i.png' }, null] },
      { ...good, name: 'hints', annotations: { readOnlyHint: 'yes', title: null, idempotentHint: true } },
      { ...good, name: 'wrong', description: 42 },
      { name: 'schema is null', inputSchema: null },
      { name: 'schema is of a text', inputSchema: { type: 'string' } },
      null,
      'text',
      { inputSchema: { type: 'object' } },
    ];
    const server = scripted({
      'tools/list': () => ({ tools: flawed, nextCursor: null, _meta: null }),
      'prompts/list': () => ({
        prompts: [{ name: 'p', arguments: [{ name: 'a', required: null, description: 3 }, {}] }, { name: 3 }],
        nextCursor: null,
      }),
      'resources/list': () => ({
        resources: [{ uri: 'a:b', name: 'r', size: 'big', mimeType: null }, { uri: 'a:c' }],
      }),
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'a:{b}', name: 't', description: null }, {}],
      }),
    });
    const { host, errors } = hostOn(server);
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(snapshot?.state.status).toBe('connected');
    const tools = new Map(host.tools().map((tool) => [tool.name, tool]));
    expect([...tools.keys()]).toEqual(['good', 'no type', 'nulls', 'icons', 'hints', 'wrong']);
    expect(tools.get('no type')?.inputSchema).toEqual({ properties: { a: {} }, type: 'object' });
    expect(tools.get('nulls')).not.toHaveProperty('description');
    expect(tools.get('icons')).toMatchObject({ icons: [{ src: 'https://x/i.png' }] });
    expect(tools.get('hints')?.annotations).toEqual({ idempotentHint: true });
    expect(host.prompts()).toMatchObject([{ name: 'p', arguments: [{ name: 'a' }] }]);
    expect(host.resources()).toMatchObject([{ uri: 'a:b', name: 'r' }]);
    expect(host.resourceTemplates()).toMatchObject([{ uriTemplate: 'a:{b}' }]);
    expect(snapshot?.lists.tools.skipped).toEqual(
      expect.arrayContaining([
        'an entry of tools/list has no valid "inputSchema": "schema is null"',
        'an entry of tools/list has no valid "inputSchema": "schema is of a text"',
        `an entry of tools/list has a malformed "description", which is ignored: "wrong"`,
      ]),
    );
    expect(snapshot?.lists.resources.skipped).toHaveLength(2);
    expect(errors.some(({ error }) => error.message.includes('"schema is null"'))).toBe(true);
  });

  it('a list is read again when its time to live has passed, and at most once a second', async () => {
    const server = modern({ 'tools/list': () => ({ ttlMs: 1, tools: [good] }) });
    const { host, clock } = hostOn(server);
    await host.connect({ a: { type: 'test' } });
    const reads = (): number => server.asked.filter((method) => method === 'tools/list').length;
    expect(reads()).toBe(1);
    // A listener that looks at the list whenever it was read.
    host.on('catalog', () => void clock.advance(2).then(() => host.tools()));
    for (let ms = 0; ms < 3000; ms += 10) {
      host.tools();
      await clock.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(reads()).toBeGreaterThanOrEqual(3);
    expect(reads()).toBeLessThanOrEqual(4);
  });

  it('a repeated cursor, or too many pages, keeps what was read and reports the problem', async () => {
    let page = 0;
    const round = scripted({
      'tools/list': () => ({ tools: [{ ...good, name: `t${page++}` }], nextCursor: 'again' }),
      'prompts/list': () => ({ prompts: [{ name: `p${page++}` }], nextCursor: String(page) }),
    });
    const { host } = hostOn(round, { limits: { listPages: 70 } });
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(snapshot).toMatchObject({
      state: { status: 'connected' },
      counts: { tools: 2, prompts: 70 },
      lists: {
        tools: { skipped: ['a cursor is repeated'] },
        prompts: { skipped: ['the list has more than 70 pages'] },
      },
    });
  });

  it('a tool with 100 000 properties is left out, the others stay', async () => {
    const properties: Record<string, object> = {};
    for (let index = 0; index < 100_000; index++) properties[`p${index}`] = {};
    const tools = [
      good,
      { name: 'huge', inputSchema: { type: 'object', properties } },
      { ...good, name: 'after' },
    ];
    const { host } = hostOn(scripted({ 'tools/list': () => ({ tools }) }));
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(host.tools().map(({ name }) => name)).toEqual(['good', 'after']);
    expect(snapshot?.lists.tools.skipped).toEqual([
      'an entry of tools/list has more than 20000 parts: "huge"',
    ]);
  });

  it('a handshake with 100 000 parts is refused', async () => {
    const experimental: Record<string, object> = {};
    for (let index = 0; index < 100_000; index++) experimental[`x${index}`] = {};
    const capabilities = { tools: {}, experimental };
    const { host } = hostOn(scripted({}, capabilities));
    const [snapshot] = await host.connect({ a: { type: 'test', reconnect: { maxAttempts: 0 } } });
    expect(snapshot?.state).toMatchObject({ status: 'failed' });
    expect(snapshot?.lastError?.message).toContain('The result of initialize has more than 10000 parts');
  });

  it('an entry has a time limit of its own for each list', async () => {
    const server = scripted({ 'tools/list': () => SILENCE });
    const { host, clock } = hostOn(server, { limits: { discoveryMs: 9000, listMs: 8000 } });
    const reconnect = { maxAttempts: 0 };
    const connecting = host.connect({ a: { type: 'test', discoveryTimeout: 50, reconnect } });
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), { timeout: 20_000 });
    await vi.waitFor(
      async () => {
        await clock.advance(50);
        expect(host.server('a').state.status).toBe('failed');
      },
      { timeout: 20_000 },
    );
    const [snapshot] = await connecting;
    expect(snapshot?.lastError).toMatchObject({ code: 'TIMEOUT' });
    expect(clock.now()).toBeLessThan(8000);
  });

  it('a list that fails because the connection ended is not reported separately', async () => {
    const server = scripted({ 'tools/list': () => ({ tools: [good] }) }, { tools: { listChanged: true } });
    const servers = testServers(() => server);
    const clock = createManualClock();
    await using host = testHost([servers.plugin], { clock });
    const errors: unknown[] = [];
    host.on('error', ({ error }) => errors.push(error));
    await host.connect({ a: { type: 'test' } });
    await server.notify('notifications/tools/list_changed');
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), { timeout: 20_000 });
    await clock.advance(250);
    await servers.drop();
    await reaches(host, 'a', 'pending');
    expect(errors).toEqual([]);
  });

  it('a failed list of an earlier attempt does not affect the next one', async () => {
    let attempt = 0;
    const made = () => {
      attempt++;
      const isFirst = attempt === 1;
      return scripted({
        'tools/list': (params) => (isFirst ? fails(params) : { tools: [good] }),
        'prompts/list': (params) => (isFirst ? fails(params) : { prompts: [{ name: 'p' }] }),
      });
    };
    const clock = createManualClock();
    const transports = [testServers(made).plugin];
    await using host = testHost(transports, { clock, random: () => 0 });
    const errors: unknown[] = [];
    host.on('error', ({ error }) => errors.push(error));
    await host.connect({ a: { type: 'test' } });
    await clock.advance(1000);
    await reaches(host, 'a', 'connected');
    expect([host.tools().length, host.prompts().length]).toEqual([1, 1]);
    // The state said it: no event besides.
    expect(errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('a list that requires a sign-in puts the server in needs-auth', async () => {
    let answer: () => unknown = () => ({ tools: [good] });
    const server = scripted({ 'tools/list': () => answer() }, { tools: { listChanged: true } });
    const { plugin } = testServers(() => server);
    let refuses = false;
    const signed: TransportPlugin = {
      ...plugin,
      create(...given) {
        const transport = plugin.create(...given);
        const send = transport.send.bind(transport);
        transport.send = (message, options) =>
          refuses && 'method' in message && message.method === 'tools/list'
            ? Promise.reject(new AuthRequiredError('sign in'))
            : send(message, options);
        return transport;
      },
    };
    const clock = createManualClock();
    await using host = testHost([signed], { clock });
    await host.connect({ a: { type: 'test' } });
    refuses = true;
    await server.notify('notifications/tools/list_changed');
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), { timeout: 20_000 });
    await clock.advance(250);
    await reaches(host, 'a', 'needs-auth');
    refuses = false;
    answer = () => ({ tools: [good, { ...good, name: 'new' }] });
    await host.start('a');
    expect(host.tools()).toHaveLength(2);
  });

  it('a list of oversized entries is not read to its end', async () => {
    const huge = 'x'.repeat(20_000_000);
    let pages = 0;
    const server = scripted({
      'tools/list': () => ({
        tools: [
          { ...good, name: `t${pages}` },
          { ...good, name: `huge${pages}`, description: huge },
        ],
        nextCursor: String(++pages),
      }),
    });
    const { host } = hostOn(server);
    const [snapshot] = await host.connect({ a: { type: 'test' } });
    expect(pages).toBe(4);
    expect(snapshot?.counts.tools).toBe(4);
    expect(snapshot?.lists.tools.skipped.at(-1)).toBe('the list has too many oversized entries');
  });

  it('the lists of all servers share one budget', async () => {
    const long = 'x'.repeat(40_000);
    const { host } = hostOn(scripted({ 'tools/list': () => ({ tools: [{ ...good, description: long }] }) }), {
      limits: { listBytes: 100_000 },
    });
    await host.connect({ a: { type: 'test' }, b: { type: 'test' }, c: { type: 'test' } });
    expect(host.tools().map(({ server }) => server)).toHaveLength(2);
    const without = host.servers().filter(({ lists }) => lists.tools.skipped.length > 0);
    expect(without).toMatchObject([
      { lists: { tools: { skipped: ['the lists of all servers together exceed limits.listBytes'] } } },
    ]);
    const [first] = host.tools();
    await host.remove(first?.server ?? '');
    await host.restart(without[0]?.name ?? '');
    expect(host.tools()).toHaveLength(2);
  });

  it('over HTTP, 503 for one tools/list is repeated', async () => {
    let failures = 1;
    await using server = await jsonRpcServer({
      'tools/list'(_request, response) {
        if (failures-- <= 0) return { tools: [good] };
        response.writeHead(503).end();
        return undefined;
      },
    });
    await using host = testHost([http()]);
    const [snapshot] = await host.connect({ a: { url: server.url, reconnect: { delayMs: 5 } } });
    expect(snapshot?.lastError?.details['list']).toBe('tools');
    await reaches(host, 'a', 'connected');
    expect(host.tools()).toHaveLength(1);
  });
});

it('on 2026-07-28 a malformed tool, and one with invalid header annotations, affect only themselves', async () => {
  const annotated = (schema: object) => ({ type: 'object', properties: { a: schema } });
  const server = modern({
    'tools/list': () => ({
      tools: [
        good,
        { name: 'null', description: null, inputSchema: { type: 'object' } },
        { name: 'header', inputSchema: annotated({ type: 'string', 'x-mcp-header': 'Region' }) },
        { name: 'bad header', inputSchema: annotated({ type: 'string', 'x-mcp-header': 'a b' }) },
        { name: 'long', inputSchema: annotated({ type: 'string', 'x-mcp-header': 'a'.repeat(129) }) },
        { name: 'number', inputSchema: annotated({ type: 'number', 'x-mcp-header': 'N' }) },
        { name: 'unreachable', inputSchema: annotated({ items: { type: 'string', 'x-mcp-header': 'N' } }) },
      ],
    }),
  });
  await using host = testHost([testServers(() => server).plugin]);
  const [snapshot] = await host.connect({ a: { type: 'test' } });
  expect(snapshot?.state).toMatchObject({ connection: { protocolVersion: '2026-07-28' } });
  expect(host.tools().map(({ name }) => name)).toEqual(['good', 'null', 'header']);
  expect(snapshot?.lists.tools.skipped).toHaveLength(4);
});
