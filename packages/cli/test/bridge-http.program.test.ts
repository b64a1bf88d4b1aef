import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { serveNetwork, type NetworkBridge, type ServeNetworkOptions } from '../src/bridge/serve-network.js';
import { createSharedConnection } from '../src/bridge/stateless-http.js';
import { isAlive, untilDead } from './support/processes.js';
import { DUAL_SERVER, recordingLogger, upstreamTo } from './support/upstreams.js';

const TOKEN = 'a token that is hard to guess';
const SIGNED = { headers: { authorization: `Bearer ${TOKEN}` } };
const bridges: NetworkBridge[] = [];
const clients: { close(): Promise<void> }[] = [];

async function bridge(options: Partial<ServeNetworkOptions> = {}): Promise<NetworkBridge> {
  const served = await serveNetwork({
    open: upstreamTo(),
    address: { host: '127.0.0.1', port: 0 },
    wire: 'http',
    token: TOKEN,
    clock: systemClock,
    ...options,
  });
  bridges.push(served);
  return served;
}

async function clientOf(url: string, era: 'legacy' | 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: SIGNED }));
  return client;
}

async function sdkV1(url: string): Promise<ClientV1> {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  clients.push(client);
  await client.connect(new HttpV1(new URL(url), { requestInit: SIGNED }));
  return client;
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join();
const pidOf = async (client: Pick<Client, 'callTool'>): Promise<number> =>
  Number(textOf(await client.callTool({ name: 'pid', arguments: {} })));

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(bridges.splice(0).map((served) => served.close()));
});

describe('a stdio server over Streamable HTTP', () => {
  it('serves SDK v2 by initialize, revision 2025-11-25', async () => {
    const { url } = await bridge();
    const client = await clientOf(url, 'legacy');
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(client.getServerVersion()?.name).toBe('dual legacy');
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
  });

  it('serves SDK v2 without sessions, revision 2026-07-28', async () => {
    const { url } = await bridge();
    const client = await clientOf(url, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getServerVersion()?.name).toBe('dual modern');
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
  });

  it('leaves a client that knows both with initialize where the server knows no other', async () => {
    const everything = await officialServer('everything');
    const config = { type: 'stdio', command: process.execPath, args: [everything, 'stdio'] };
    const { url } = await bridge({ open: upstreamTo({ config }) });
    const client = await clientOf(url, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toContain('hi');
  });

  it.each(['legacy', 'auto'] as const)('brings progress to the call that it belongs to (%s)', async (era) => {
    const { url } = await bridge();
    const [one, two] = await Promise.all([clientOf(url, era), clientOf(url, era)]);
    const seen: [string, number][] = [];
    const call = (client: Client, name: string, steps: number) =>
      client.callTool(
        { name: 'slow', arguments: { steps } },
        { onprogress: ({ progress, total }) => void seen.push([`${name} of ${total}`, progress]) },
      );
    const answers = await Promise.all([call(one, 'one', 4), call(two, 'two', 7), call(one, 'three', 3)]);
    expect(answers.map(textOf)).toEqual(['done', 'done', 'done']);
    const of = (name: string) => seen.filter(([who]) => who.startsWith(name));
    expect(of('one').map(([who]) => who)).toEqual(Array.from({ length: 4 }, () => 'one of 4'));
    expect(of('two').map(([, progress]) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(of('three')).toHaveLength(3);
  });

  it.each(['legacy', 'auto'] as const)('carries a cancellation to the server (%s)', async (era) => {
    const heard: string[] = [];
    const cancelled = withResolvers();
    const logger = {
      ...recordingLogger(),
      debug: (line: string) => {
        heard.push(line);
        if (line === 'cancelled') cancelled.resolve();
      },
    };
    const { url } = await bridge({ open: upstreamTo({ logger }) });
    const client = await clientOf(url, era);
    const giveUp = new AbortController();
    const call = client.callTool(
      { name: 'slow', arguments: { steps: 100_000 } },
      { signal: giveUp.signal, onprogress: () => giveUp.abort() },
    );
    await expect(call).rejects.toThrow();
    await cancelled.promise;
    expect(heard).toContain('cancelled');
  });

  it('gives every session a process of its own, and ends it with the session', async () => {
    const { url } = await bridge();
    const [one, two] = await Promise.all([clientOf(url, 'legacy'), clientOf(url, 'legacy')]);
    const [first, second] = await Promise.all([pidOf(one), pidOf(two)]);
    expect(first).not.toBe(second);
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    await untilDead(first);
    expect(isAlive(second)).toBe(true);
  });

  it('shares one process among clients without sessions', async () => {
    const { url } = await bridge();
    const [one, two] = await Promise.all([clientOf(url, 'auto'), clientOf(url, 'auto')]);
    expect(await pidOf(one)).toBe(await pidOf(two));
  });

  it('ends all processes when it closes', async () => {
    const served = await bridge();
    const pids = [
      await pidOf(await clientOf(served.url, 'legacy')),
      await pidOf(await clientOf(served.url, 'auto')),
    ];
    await served.close();
    await Promise.all(pids.map(untilDead));
  });

  it('ends a session in which nothing happens, and its process', async () => {
    const clock = createManualClock();
    const { url } = await bridge({ clock, idleMs: 60_000 });
    const response = await post(url, initialize(1));
    const session = response.headers.get('mcp-session-id') ?? '';
    await response.text();
    const call = await post(url, request(2, 'tools/call', { name: 'pid', arguments: {} }), {
      'mcp-session-id': session,
    });
    const pid = Number(/"text":"(\d+)"/.exec(await call.text())?.[1]);
    expect(isAlive(pid)).toBe(true);
    await clock.advance(59_000);
    expect(isAlive(pid)).toBe(true);
    await clock.advance(1_001);
    await untilDead(pid);
    const late = await post(url, request(3, 'ping'), { 'mcp-session-id': session });
    expect(late.status).toBe(404);
  });

  it('lets a server ask the client in the middle of a call', async () => {
    const { url } = await bridge();
    const client = await sdkV1(url);
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      action: 'accept',
      content: { name: `asked: ${params.message}` },
    }));
    expect(textOf(await client.callTool({ name: 'ask', arguments: {} }))).toBe('{"name":"asked: Who?"}');
  });

  it('asks on the stream of the call where the client listens to no other', async () => {
    const { url } = await bridge();
    const { session, ask } = await rawSession(url, { elicitation: {} });
    const stream = await ask(request(2, 'tools/call', { name: 'ask', arguments: {} }));
    const asked = await nextMessage(stream);
    expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
    const answer = {
      jsonrpc: '2.0',
      id: asked['id'],
      result: { action: 'accept', content: { name: 'raw' } },
    };
    expect((await post(url, answer, session)).status).toBe(202);
    expect(await nextMessage(stream)).toMatchObject({
      id: 2,
      result: { content: [{ text: '{"name":"raw"}' }] },
    });
  });

  it('tells a server at once that its request cannot be delivered', async () => {
    const heard = withResolvers<string>();
    const debug = (line: string): void => {
      if (line.startsWith('not asked')) heard.resolve(line);
    };
    const { url } = await bridge({ open: upstreamTo({ logger: { ...recordingLogger(), debug } }) });
    const { ask } = await rawSession(url, { elicitation: {} });
    await nextMessage(await ask(request(2, 'tools/call', { name: 'ask-later', arguments: {} })));
    expect(await heard.promise).toContain('could not be delivered');
  });

  it('does not let a client answer what another one was asked', async () => {
    const { url } = await bridge();
    const [one, two] = [await rawSession(url, { elicitation: {} }), await rawSession(url, {})];
    const stream = await one.ask(request(2, 'tools/call', { name: 'ask', arguments: {} }));
    const { id } = await nextMessage(stream);
    const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'forged' } } };
    await post(url, forged, two.session);
    await post(url, { ...forged, result: { action: 'accept', content: { name: 'own' } } }, one.session);
    expect(JSON.stringify(await nextMessage(stream))).toContain('own');
  });

  it.each(['legacy', 'auto'] as const)('tells a client of a changed list (%s)', async (era) => {
    const { url } = await bridge();
    const changed = withResolvers<readonly string[]>();
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode: era },
        listChanged: {
          tools: {
            autoRefresh: true,
            debounceMs: 0,
            onChanged: (_error, tools) => changed.resolve((tools ?? []).map(({ name }) => name)),
          },
        },
      },
    );
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: SIGNED }));
    await client.callTool({ name: 'grow', arguments: {} });
    expect(await changed.promise).toContain('grown');
  });

  it.each(['legacy', 'auto'] as const)(
    'says why a server died, to the call that it died in (%s)',
    async (era) => {
      const logger = recordingLogger();
      const { url } = await bridge({ logger });
      const client = await clientOf(url, era);
      const failure = await client.callTool({ name: 'die', arguments: {} }).catch((error: unknown) => error);
      expect(String(failure)).toContain('exited with code 3');
      expect(String(failure)).toContain('the disk is full');
      expect((failure as { data?: unknown }).data).toMatchObject({
        code: 'PROCESS_EXITED',
        delivery: 'unknown',
      });
      expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }))).toBe('2');
      await expect.poll(() => logger.lines.join()).toContain('the disk is full');
    },
  );

  it('opens a new connection for a request while the old one is closing', async () => {
    const shared = createSharedConnection(upstreamTo(), undefined);
    const first = await shared.forwarder();
    const answered = withResolvers<unknown>();
    const second = withResolvers<unknown>();
    const client = first.join({
      async send(message) {
        answered.resolve(message);
        second.resolve(await shared.forwarder());
      },
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    client.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'die', arguments: {}, _meta },
    });
    expect(await answered.promise).toMatchObject({ error: { data: { code: 'PROCESS_EXITED' } } });
    expect(await second.promise).not.toBe(first);
    await shared.close();
  });

  it('tells a server that came back what the client wants, and the client that lists may be others', async () => {
    const heard: string[] = [];
    const debug = (line: string): void => void heard.push(line);
    const { url } = await bridge({ open: upstreamTo({ logger: { ...recordingLogger(), debug } }) });
    const changed = withResolvers();
    const client = new Client(
      { name: 'test', version: '1' },
      { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } } },
    );
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: SIGNED }));
    await client.subscribeResource({ uri: 'memo:///a' });
    await client.subscribeResource({ uri: 'memo:///b' });
    await client.unsubscribeResource({ uri: 'memo:///b' });
    await client.setLoggingLevel('warning');
    await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toThrow();
    heard.length = 0;
    await pidOf(client);
    await changed.promise;
    await expect.poll(() => heard).toEqual(expect.arrayContaining(['subscribed memo:///a', 'level warning']));
    expect(heard).not.toContain('subscribed memo:///b');
  });

  it('answers with the reason when the server cannot be started, and tries again for the next client', async () => {
    let config: { type: string; command: string; args?: string[] } = {
      type: 'stdio',
      command: 'no-such-command',
    };
    const { url } = await bridge({ open: () => upstreamTo({ config })() });
    await expect(clientOf(url, 'legacy')).rejects.toThrow(/The command "no-such-command" was not found/);
    await expect(clientOf(url, 'auto')).rejects.toThrow(/The command "no-such-command" was not found/);
    config = { type: 'stdio', command: process.execPath, args: [DUAL_SERVER] };
    const client = await clientOf(url, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await pidOf(client)).toBeGreaterThan(0);
  });
});

function withResolvers<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

const request = (id: number, method: string, params: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const initialize = (id: number) =>
  request(id, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...SIGNED.headers,
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** A session without an event stream of its own, and a way to read the stream of one request. */
async function rawSession(url: string, capabilities: unknown) {
  const { params, ...rest } = initialize(1);
  const opened = await post(url, { ...rest, params: { ...(params as object), capabilities } });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const ask = async (message: unknown): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const { body } = await post(url, message, session);
    if (body === null) throw new Error('There is no stream.');
    return body.getReader();
  };
  return { session, ask };
}

async function nextMessage(
  stream: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Record<string, unknown>> {
  let text = '';
  for (;;) {
    const { value, done } = await stream.read();
    if (done) throw new Error(`The stream ended: ${text}`);
    text += new TextDecoder().decode(value);
    const data = /^data: (\{.*\})$/m.exec(text)?.[1];
    if (data !== undefined) return JSON.parse(data) as Record<string, unknown>;
  }
}
