import { SSEClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import type { Transport } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { createSseTransport } from '../../src/index.js';
import { clientV2 } from '../../../transport-http/test/support/clients.js';
import { startSseServer, type SseBehavior } from '../support/sse-server.js';

/*
 * What ours does, beside what the transports of the SDKs did when this was written. Where one
 * of them does better one day, its row fails and is to be updated.
 */

const INFO = { name: 'test', version: '1' };

type Make = (url: string) => Transport;

const disposable = (transport: object): Transport => {
  const sdk = transport as Omit<Transport, typeof Symbol.asyncDispose>;
  return Object.assign(sdk, { [Symbol.asyncDispose]: () => sdk.close() });
};
const ours: Make = (url) => createSseTransport({ url });
const hurried: Make = (url) => createSseTransport({ url, startTimeoutMs: 300 });
const sdkV1: Make = (url) => disposable(new TransportV1(new URL(url)));
const sdkV2: Make = (url) => disposable(new TransportV2(new URL(url)));

/** `settled` or, after a while, `pending`. */
const stateAfter = (promise: Promise<unknown>, ms: number): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'settled',
      () => 'settled',
    ),
    new Promise<string>((resolve) => setTimeout(() => resolve('pending'), ms)),
  ]);

describe('no endpoint event comes, and the client was told to wait 300 ms', () => {
  it.each<[string, Make, string]>([
    ['ours', hurried, 'settled'],
    ['SDK v1', sdkV1, 'pending'],
    ['SDK v2', sdkV2, 'pending'],
  ])('%s: connect() is %s', async (_, make, expected) => {
    await using server = await startSseServer({ onStream: (stream) => stream.write(': hello\n\n') });
    await using transport = make(server.url);
    const connecting = new ClientV1(INFO).connect(transport, { timeout: 300 });
    connecting.catch(() => undefined);
    expect(await stateAfter(connecting, 1500)).toBe(expected);
  });
});

/** Answers `initialize`, once for each stream, and keeps every other request waiting. */
const forgetful: SseBehavior = {
  onStream: (stream) => {
    stream.write('retry: 50\n');
    stream.event('endpoint', '/messages');
  },
  onPost(seen, response, stream) {
    response.writeHead(202).end();
    const { id, method } = JSON.parse(seen.body) as { id: number; method: string };
    if (method !== 'initialize') return;
    const serverInfo = { name: 'forgetful', version: '1' };
    stream?.message({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo },
    });
  },
};

describe('the stream is dropped while a call is open', () => {
  it.each<[string, Make, object]>([
    ['ours', ours, { call: 'settled', told: 'settled', streams: 1 }],
    // They open a new stream by themselves, with a session that was never initialized, and do not report it.
    ['SDK v1', sdkV1, { call: 'pending', told: 'pending', streams: 2 }],
    ['SDK v2', sdkV2, { call: 'pending', told: 'pending', streams: 2 }],
  ])('%s', async (_, make, expected) => {
    await using server = await startSseServer(forgetful);
    const client = new ClientV1(INFO);
    await client.connect(make(server.url));
    const closed = new Promise<void>((resolve) => (client.onclose = resolve));
    const call = client.callTool({ name: 'any' }, undefined, { timeout: 20_000 });
    while (server.seen.filter(({ body }) => body.includes('tools/call')).length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    server.streams[0]?.cut();
    const [called, told] = await Promise.all([stateAfter(call, 1500), stateAfter(closed, 1500)]);
    expect({ call: called, told, streams: server.streams.length }).toEqual(expected);
    call.catch(() => undefined);
    await client.close();
  });
});

describe('the server answers 400 to the probe of a client in the mode auto', () => {
  const refusing: SseBehavior = {
    onPost(seen, response, stream) {
      if (seen.body.includes('server/discover')) response.writeHead(400).end('Not initialized');
      else forgetful.onPost?.(seen, response, stream);
    },
  };

  it('ours: it falls back to initialize', async () => {
    await using server = await startSseServer(refusing);
    await using client = await clientV2('auto').connect(ours(server.url));
    expect(client.serverName).toBe('forgetful');
  });

  it('SDK v2: it fails', async () => {
    await using server = await startSseServer(refusing);
    await using transport = sdkV2(server.url);
    await expect(clientV2('auto').connect(transport)).rejects.toMatchObject({
      code: 'ERA_NEGOTIATION_FAILED',
    });
  });
});
