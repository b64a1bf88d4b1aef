import {
  FittingsError,
  type JSONRPCMessage,
  type Transport,
  TransportError,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { describe, expect, it } from 'vitest';
import { createFallbackTransport, createHttpTransport, http } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { sdkV1Server } from './support/real-servers.js';
import { scriptedServer, type Script } from './support/scripted-server.js';

/** The older way, reduced to what the change-over sees of it; the real one has its own package. */
class Older extends BaseTransport {
  readonly #failure: Error | undefined;
  readonly sent: JSONRPCMessage[] = [];
  constructor(failure?: Error) {
    super({ server: 'older' });
    this.#failure = failure;
  }
  protected override open(): Promise<void> {
    return this.#failure === undefined ? Promise.resolve() : Promise.reject(this.#failure);
  }
  protected override write(message: JSONRPCMessage): Promise<void> {
    this.sent.push(message);
    if ('id' in message)
      this.receive({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2024-11-05' } });
    return Promise.resolve();
  }
  protected override shutDown(): Promise<void> {
    return Promise.resolve();
  }
  override describe() {
    return { older: true };
  }
}

const refusing =
  (status: number, body = ''): Script =>
  (exchange) =>
    exchange.plain(status, body);

describe('falling back', () => {
  it('says that the session was restored, as the transport in use does', async () => {
    await using server = await sdkV1Server();
    const first = createHttpTransport({ url: server.url });
    await using caller = await connect(createFallbackTransport({ first, fallback: () => new Older() }));
    let restored: unknown;
    caller.transport.onsessionrestored = (result) => (restored = result);
    await server.restart();
    await caller.request('tools/list');
    expect(restored).toMatchObject({ serverInfo: { name: 'sdk-v1' } });
  });

  it.each([400, 404, 405])('switches when initialize is refused with %i', async (status) => {
    await using server = await scriptedServer({ on: { initialize: refusing(status, 'Cannot POST /mcp') } });
    const older = new Older();
    const first = createHttpTransport({ url: server.url });
    await using caller = await startCaller(createFallbackTransport({ first, fallback: () => older }));
    expect(caller.transport.hasPerRequestStream).toBe(true);
    expect(await caller.handshake()).toEqual({ protocolVersion: '2024-11-05' });
    expect(caller.transport.hasPerRequestStream).toBe(false);
    expect(caller.transport.sessionId).toBeUndefined();
    expect(older.sent).toHaveLength(2);
    expect(server.received).toHaveLength(1);
    expect(caller.closes).toBe(0);
    expect(caller.transport.describe?.()).toEqual({ older: true, fallback: true });
    await caller.transport.close();
    expect(caller.closes).toBe(1);
  });

  it('C.3 leaves the probe of an engine that tries both eras to the first way', async () => {
    await using server = await scriptedServer({
      on: { initialize: refusing(404), 'server/discover': refusing(404, 'Cannot POST /mcp') },
    });
    const older = new Older();
    const first = createHttpTransport({ url: server.url });
    await using caller = await startCaller(createFallbackTransport({ first, fallback: () => older }));
    await expect(caller.request('server/discover')).rejects.toMatchObject({ rpc: { code: -32_601 } });
    expect(older.sent).toHaveLength(0);
    await caller.handshake();
    expect(older.sent).toHaveLength(2);
  });

  it.each([
    ['401', refusing(401), 'AUTH_REQUIRED'],
    ['403', refusing(403), 'HTTP_STATUS'],
    ['500', refusing(500), 'SERVER_ERROR'],
    ['a web page', refusing(200, '<html>'), 'PROTOCOL_VIOLATION'],
    ['no answer', (exchange) => exchange.drop(), 'CONNECTION_LOST'],
  ])('never hides %s behind the older way', async (_, script, code) => {
    await using server = await scriptedServer({ on: { initialize: script } });
    const first = createHttpTransport({ url: server.url });
    const fallback = (): Transport => {
      throw new Error('must not be made');
    };
    await using caller = await startCaller(createFallbackTransport({ first, fallback }));
    await expect(caller.request('initialize')).rejects.toMatchObject({ code });
  });

  it('takes a JSON-RPC error that answers initialize for what it is: the answer of a current server', async () => {
    await using server = await scriptedServer({
      on: { initialize: (exchange) => exchange.rpcError(-32_602, 'unsupported revision', 400) },
    });
    const first = createHttpTransport({ url: server.url });
    await using caller = await startCaller(createFallbackTransport({ first, fallback: () => new Older() }));
    await expect(caller.request('initialize')).rejects.toMatchObject({ rpc: { code: -32_602 } });
  });

  it('keeps both causes when neither way works', async () => {
    await using server = await scriptedServer({ on: { initialize: refusing(405, 'Method Not Allowed') } });
    const first = createHttpTransport({ url: server.url });
    const failure = new TransportError('TIMEOUT', 'no endpoint event came');
    await using caller = await startCaller(
      createFallbackTransport({ first, fallback: () => new Older(failure) }),
    );
    const error: unknown = await caller.request('initialize').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TransportError', code: 'TIMEOUT', delivery: 'rejected' });
    const { message, cause } = error as TransportError;
    expect(message).toContain('405');
    expect(message).toContain('no endpoint event came');
    expect((cause as AggregateError).errors).toMatchObject([{ code: 'ENDPOINT_INCOMPATIBLE' }, failure]);
  });

  it('hands the need to sign in for the older way on unchanged', async () => {
    await using server = await scriptedServer({ on: { initialize: refusing(404) } });
    const failure = new FittingsError('AUTH_REJECTED', 'no');
    const first = createHttpTransport({ url: server.url });
    await using caller = await startCaller(
      createFallbackTransport({ first, fallback: () => new Older(failure) }),
    );
    await expect(caller.request('initialize')).rejects.toBe(failure);
  });

  it('without a fallback says what the endpoint is not, and what to do', async () => {
    await using server = await scriptedServer({ on: { initialize: refusing(404, 'Cannot POST /mcp') } });
    await using caller = await startCaller(createHttpTransport({ url: server.url, server: 'docs' }));
    await expect(caller.request('initialize')).rejects.toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
      server: 'docs',
      delivery: 'rejected',
      message: expect.stringContaining('Cannot POST /mcp') as string,
      hint: expect.stringContaining('sse') as string,
      details: { status: 404, url: server.origin },
    });
  });

  it('closes while it switches', async () => {
    await using server = await scriptedServer({ on: { initialize: refusing(404) } });
    const older = new Older();
    const first = createHttpTransport({ url: server.url });
    const transport = createFallbackTransport({
      first,
      fallback: () => {
        void transport.close();
        return older;
      },
    });
    await using caller = await startCaller(transport);
    await expect(caller.request('initialize')).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    expect(caller.closes).toBe(1);
    await expect(older.start()).rejects.toMatchObject({ code: 'TRANSPORT_ALREADY_STARTED' });
  });
});

describe('the plugin', () => {
  it('names its types and its fallback, and checks an entry', async () => {
    const older = http();
    const plugin = http({ fallback: older });
    expect(plugin).toMatchObject({
      specVersion: 1,
      type: 'http',
      aliases: ['streamable-http', 'streamableHttp'],
    });
    expect(plugin.fallback).toBe(older);
    const { validate } = plugin.schema['~standard'];
    expect(await validate({ url: 'https://mcp.example/', headers: { a: 'b' }, disabled: true })).toEqual({
      value: { url: 'https://mcp.example/', headers: { a: 'b' } },
    });
    const { issues } = await validate({ apiKey: 1, headers: { a: 1 } });
    expect(issues?.map(({ path }) => path)).toEqual([['url'], ['headers'], ['apiKey']]);
  });

  it('makes a transport of an entry and its context', async () => {
    await using server = await scriptedServer();
    const entry = { url: server.url, headers: { 'x-own': '1' }, apiKey: 'key-0123456789', proxy: 'none' };
    await using caller = await connect(http().create(entry, { server: 'docs' }));
    expect(server.received[0]?.headers).toMatchObject({
      'x-own': '1',
      authorization: 'Bearer key-0123456789',
    });
    await server.stop();
    await expect(caller.request('tools/list')).rejects.toMatchObject({ server: 'docs' });
  });
});
