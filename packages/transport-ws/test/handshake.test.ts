import { createServer } from 'node:net';
import { inspect } from 'node:util';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client, startedClient } from './support/clients.js';
import { listen } from './support/net.js';
import { startRawServer, upgradeAnswer } from './support/raw-server.js';
import { startDecidingServer } from './support/refusing-server.js';

describe('the upgrade request', () => {
  it('carries the configured headers, offers `mcp`, and no compression unless asked', async () => {
    await using server = await startDecidingServer(() => undefined);
    const headers = { 'X-Team': 'blue', Origin: 'https://app.example' };
    const recorder = await startedClient(`${server.url}?tenant=7`, { headers, apiKey: 'key-123456' });
    await using _ = recorder.transport;
    await recorder.request(1);
    const [request] = server.requests;
    expect(request?.url).toBe('/mcp?tenant=7');
    expect(request?.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'x-team': 'blue',
      origin: 'https://app.example',
      authorization: 'Bearer key-123456',
      'sec-websocket-protocol': 'mcp',
      'sec-websocket-version': '13',
    });
    expect(request?.headers['sec-websocket-extensions']).toBeUndefined();
  });

  it('compresses when both sides want it, and keeps no context', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url, { perMessageDeflate: true });
    await using _ = recorder.transport;
    const offer = /sec-websocket-extensions: (.+)\r\n/i.exec(raw.heads[0] ?? '')?.[1];
    expect(offer).toContain('permessage-deflate');
    expect(offer).toContain('server_no_context_takeover');
    expect(offer).toContain('client_no_context_takeover');
  });

  it('refuses headers that would break the request or that the handshake owns', () => {
    const url = 'ws://127.0.0.1:1/';
    const bad: Record<string, string>[] = [
      { 'X-A': 'one\r\nEvil: two' },
      { Host: 'evil.example' },
      { 'Sec-WebSocket-Key': 'x' },
      { 'Sec-WebSocket-Protocol': 'x' },
    ];
    for (const headers of bad) {
      expect(() => createWebSocketTransport({ url, headers })).toThrow(
        expect.objectContaining({ code: 'HEADER_INVALID', kind: 'config' }),
      );
    }
    expect(() => createWebSocketTransport({ url, apiKey: 'secret\r\nX: y' })).toThrow(
      expect.objectContaining({ code: 'HEADER_INVALID' }),
    );
    expect(() =>
      createWebSocketTransport({ url, apiKey: 'one', headers: { authorization: 'Basic two' } }),
    ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('the sub-protocol', () => {
  it.each([
    ['one that was not offered', ['Sec-WebSocket-Protocol: evil']],
    ['one that differs by case', ['Sec-WebSocket-Protocol: MCP']],
    ['two at once', ['Sec-WebSocket-Protocol: mcp, evil']],
    ['none', ['X-Nothing: here']],
  ])('fails when the server selects %s', async (_, lines) => {
    await using raw = await startRawServer({ answer: (_head, accept) => upgradeAnswer(accept, ...lines) });
    const recorder = client(raw.url);
    expect(await failureOf(recorder.transport.start())).toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
      hint: expect.stringContaining('`mcp`'),
    });
    expect(recorder.closes).toEqual([]);
  });

  it('fails when one is selected though none was offered, and lets the host offer others', async () => {
    await using raw = await startRawServer();
    expect(await failureOf(client(raw.url, { protocols: [] }).transport.start())).toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
    });
    const both = await startedClient(raw.url, { protocols: ['mcp.v2', 'mcp'] });
    await using _ = both.transport;
    expect(both.transport.describe?.()).toMatchObject({ protocol: 'mcp', url: raw.url });
  });

  it.each([
    ['a wrong accept key', () => upgradeAnswer('AAAAAAAAAAAAAAAAAAAAAAAAAAA=')],
    ['an extension that was not offered', withLine('Sec-WebSocket-Extensions: x-evil')],
    ['compression that was not offered', withLine('Sec-WebSocket-Extensions: permessage-deflate')],
  ])('fails on %s', async (_, answer) => {
    await using raw = await startRawServer({ answer });
    expect(await failureOf(client(raw.url).transport.start())).toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
    });
  });
});

function withLine(line: string): (head: string, accept: string) => string {
  return (_, accept) => upgradeAnswer(accept, 'Sec-WebSocket-Protocol: mcp', line);
}

describe('a redirect', () => {
  it.each([302, 303, 308])(
    '%i is not followed; the error names the target without its path',
    async (status) => {
      await using target = await startDecidingServer(() => undefined);
      const location = `ws://127.0.0.1:${target.port}/steal?code=canary`;
      await using server = await startDecidingServer(() => ({ status, headers: { location } }));
      const error = await failureOf(client(server.url, { apiKey: 'canary-token' }).transport.start());
      expect(error).toMatchObject({
        code: 'REDIRECT_REFUSED',
        retryable: false,
        details: { status, target: `ws://127.0.0.1:${target.port}` },
      });
      expect(inspect(error)).not.toContain('canary');
      expect(target.requests).toEqual([]);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    ['inside the origin', '/elsewhere'],
    ['to another machine, with allowInsecure', 'ws://mcp.example.com/'],
    ['to a bad Location', 'ws://['],
    ['to an empty Location', ''],
  ])('is not followed either %s', async (_, location) => {
    await using server = await startDecidingServer(() => ({ status: 307, headers: { location } }));
    const error = await failureOf(client(server.url, { allowInsecure: true }).transport.start());
    expect(error).toMatchObject({ code: 'REDIRECT_REFUSED' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a response that is not an upgrade', () => {
  it.each([
    [200, 'ENDPOINT_INCOMPATIBLE', false],
    [400, 'ENDPOINT_INCOMPATIBLE', false],
    [426, 'ENDPOINT_INCOMPATIBLE', false],
    [401, 'AUTH_REQUIRED', false],
    [403, 'HTTP_STATUS', false],
    [429, 'RATE_LIMITED', true],
    [503, 'SERVER_ERROR', true],
  ])('%i is %s', async (status, code, retryable) => {
    await using server = await startDecidingServer(() => ({ status }));
    const recorder = client(server.url, { server: 'ide', retryLater: { maxAttempts: 0 } });
    expect(await failureOf(recorder.transport.start())).toMatchObject({
      code,
      retryable,
      server: 'ide',
      details: { status },
    });
    expect(recorder.closes).toEqual([]);
    expect(await failureOf(recorder.request(1))).toMatchObject({ delivery: 'not-sent' });
  });

  it('with Retry-After, the server is asked again after that time', async () => {
    let asked = 0;
    await using server = await startDecidingServer(() =>
      asked++ === 0 ? { status: 503, headers: { 'Retry-After': '0' } } : { status: 403 },
    );
    expect(await failureOf(client(server.url).transport.start())).toMatchObject({ details: { status: 403 } });
    expect(asked).toBe(2);
  });

  it('the beginning of its body is shown, harmless and without our secrets', async () => {
    await using server = await startDecidingServer(() => ({
      status: 403,
      body: `\u001b[2JNo canary-token, canary-header, canary-query \u202e${'x'.repeat(100_000)}`,
    }));
    const options = { apiKey: 'canary-token', headers: { 'X-Secret': 'canary-header' } };
    const { message } = await failureOf(client(`${server.url}?key=canary-query`, options).transport.start());
    expect(message).toMatch(
      /^The server answered the upgrade request with 403 Forbidden: No \[redacted\], \[redacted\], \[redacted\] x/,
    );
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]|canary/u);
    expect(message.length).toBeLessThan(300);
  });

  it.each([
    ['never ends', 'x'.repeat(5000)],
    ['never comes', 'so far'],
  ])('a body that %s holds nothing up', async (_, body) => {
    await using raw = await startRawServer({
      answer: () => `HTTP/1.1 404 Not Found\r\nContent-Length: 1000000\r\n\r\n${body}`,
    });
    const clock = createManualClock();
    const failed = failureOf(client(raw.url, { clock }).transport.start());
    const peer = await raw.connection();
    const gone = new Promise((resolve) => peer.socket.once('close', resolve));
    if (body === 'so far') {
      // It is waited for until the time of the upgrade is over; the status is not lost.
      for (let turn = 0; turn < 20; turn++) await clock.advance(0);
      await clock.advance(10_000);
    }
    expect(await failed).toMatchObject({ code: 'ENDPOINT_INCOMPATIBLE', details: { status: 404 } });
    await gone;
  });
});

describe('no answer', () => {
  it('a name that does not resolve', async () => {
    const error = await failureOf(client('ws://nowhere.invalid/', { allowInsecure: true }).transport.start());
    expect(['HOST_NOT_FOUND', 'CONNECT_FAILED']).toContain(error.code);
  });

  it('a server that hangs up instead', async () => {
    await using server = await listen(createServer((socket) => socket.destroy()));
    const error = await failureOf(client(`ws://127.0.0.1:${server.port}/`).transport.start());
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
  });

  it('a server that hangs up before TLS is set up was never connected', async () => {
    await using server = await listen(createServer((socket) => socket.destroy()));
    const error = await failureOf(client(`wss://127.0.0.1:${server.port}/`).transport.start());
    expect(error).toMatchObject({ code: 'CONNECT_FAILED', delivery: 'not-sent' });
  });

  it('a server that says nothing is given up after `network.timeouts.headersMs`, and its socket is closed', async () => {
    const server = createServer();
    await using listening = await listen(server);
    const connected = new Promise<void>((resolve) => {
      server.on('connection', (socket) => socket.once('data', () => resolve()));
    });
    const clock = createManualClock();
    const { transport } = client(`ws://127.0.0.1:${listening.port}/`, {
      clock,
      network: { timeouts: { headersMs: 5000 } },
    });
    const failed = failureOf(transport.start());
    await connected;
    const [socket] = listening.sockets;
    const gone = new Promise((resolve) => socket?.once('close', resolve));
    await clock.advance(4999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await failed).toMatchObject({ code: 'TIMEOUT', details: { timeoutMs: 5000 } });
    await gone;
    expect(clock.pending).toBe(0);
  });

  it('leaves no socket behind, at whichever step after the upgrade the host gives up', async () => {
    await using server = await startDecidingServer(
      () => undefined,
      () => ['DPoP-Nonce: one'],
    );
    for (let jobs = 0; jobs < 40; jobs++) {
      const host = new AbortController();
      const giveUp = async (): Promise<void> => {
        for (let job = 0; job < jobs; job++) await Promise.resolve();
        host.abort();
      };
      const auth: AuthProvider = {
        headers: async () => ({}),
        onChallenge: async () => 'retry',
        onDpopNonce: () => void giveUp(),
      };
      const recorder = client(server.url, { auth, signal: host.signal });
      await recorder.transport.start().catch(() => undefined);
      await recorder.transport.close();
      await expect.poll(() => server.requests.at(-1)?.socket.destroyed, { message: `${jobs}` }).toBe(true);
    }
  });
});

describe('the URL', () => {
  it.each([
    'https://host/mcp',
    'ws+unix:/tmp/socket:/mcp',
    'wss://user:canary-secret@host/mcp',
    'wss://host/mcp#canary-secret',
  ])('%s is refused, and not repeated', (url) => {
    try {
      createWebSocketTransport({ url });
    } catch (error) {
      expect(error).toMatchObject({ code: 'CONFIG_INVALID', kind: 'config' });
      expect(inspect(error)).not.toContain('canary-secret');
      return;
    }
    throw new Error('It was accepted.');
  });

  it('refuses limits that would mean "no limit"', () => {
    for (const number of [0, -1, 1.5, 2 ** 31, Number.NaN]) {
      for (const options of [
        { maxMessageBytes: number },
        { maxQueuedBytes: number },
        { closeTimeoutMs: number },
        { heartbeat: { intervalMs: number } },
        { heartbeat: { timeoutMs: number } },
        { network: { timeouts: { connectMs: number || Number.NaN } } },
        { network: { timeouts: { headersMs: number || Number.NaN } } },
      ]) {
        expect(() => createWebSocketTransport({ url: 'ws://localhost/', ...options })).toThrow(
          expect.objectContaining({ code: 'CONFIG_INVALID' }),
        );
      }
    }
  });

  it('refuses invalid subprotocols', () => {
    for (const protocols of [['mcp', 'mcp'], ['a b'], ['a,b'], [''], ['a\r\nb']]) {
      expect(() => createWebSocketTransport({ url: 'ws://localhost/', protocols })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });
});
