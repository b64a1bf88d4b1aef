import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import type { Transport } from '@mcp-fittings/client-core';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';

const TOY = fileURLToPath(
  new URL('../../../packages/transport-stdio/test/support/toy-server.mjs', import.meta.url),
);
const INFO = { name: 'test', version: '1.0.0' };
const OLD = `process.stdin.on('data', (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== 'initialize') return console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '1' } } }));
})`;
const DYING = `process.stdin.on('data', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') process.exit(3);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
})`;

const script = (code: string): Transport =>
  createStdioTransport({ command: process.execPath, args: ['-e', code], server: 'test' });

/** A server that is in this process, and answers `initialize` with `version`. */
async function linked(version?: string): Promise<Transport> {
  const [ours, theirs] = createLinkedPair();
  const peer = createKitPeer({
    send: (value) => {
      const text = JSON.stringify(value);
      const changed = version === undefined ? text : text.replace(/"\d{4}-\d\d-\d\d"/, `"${version}"`);
      void theirs.send(JSON.parse(changed)).catch(() => undefined);
    },
  });
  theirs.onmessage = (message) => peer.receive(message);
  await theirs.start();
  return ours;
}

const clients = {
  'SDK v1': () => new ClientV1(INFO),
  'SDK v2': () => new ClientV2(INFO),
  'SDK v2, auto': () => new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } }),
};

describe.each(Object.entries(clients))('%s at the end of a connection', (_, create) => {
  it.each<[string, () => Transport | Promise<Transport>, string]>([
    ['a revision it does not know, over stdio', () => script(OLD), '1999-01-01'],
    ['a revision it does not know, in-process', () => linked('1999-01-01'), '1999-01-01'],
    ['a server that dies in the handshake', () => script(DYING), 'exited with code 3'],
  ])('has no transport once connect() was rejected, by %s', async (__, make, message) => {
    const client = create();
    await expect(client.connect(await make())).rejects.toThrow(message);
    expect(client.transport).toBeUndefined();
  });

  it('rejects open requests with its own error after its own close()', async () => {
    const ways = [createStdioTransport({ command: process.execPath, args: [TOY] }), await linked()];
    for (const transport of ways) {
      const client = create();
      await client.connect(transport);
      const pending = client.ping().then(
        () => 'answered',
        (error: unknown) => error,
      );
      await client.close();
      // v1 has -32000, v2 CONNECTION_CLOSED.
      expect(String(await pending)).toMatch(/Connection closed/);
      expect(client.transport).toBeUndefined();
    }
  });
});

// In its automatic mode SDK v2 closes a transport whose start() is refused, so the first client loses it.
it.each([
  ['SDK v1', clients['SDK v1']],
  ['SDK v2', clients['SDK v2']],
] as const)('a second client of %s that is refused gets none of the answers', async (_, create) => {
  const transport = await linked();
  const [first, second] = [create(), create()];
  await first.connect(transport);
  const overheard: string[] = [];
  second.onerror = (error) => overheard.push(String(error));
  second.onclose = () => overheard.push('closed');
  await expect(second.connect(transport)).rejects.toMatchObject({ code: 'TRANSPORT_ALREADY_STARTED' });
  await first.ping();
  await first.close();
  expect(overheard).toEqual([]);
});

describe('under fake timers', () => {
  afterEach(() => void vi.useRealTimers());

  it.each(Object.entries(clients))('%s connects and asks, in-process and over stdio', async (_, create) => {
    vi.useFakeTimers();
    for (const transport of [
      await linked(),
      createStdioTransport({ command: process.execPath, args: [TOY] }),
    ]) {
      const client = create();
      await client.connect(transport);
      await client.ping();
      await client.close();
    }
  });

  it('in-process two thousand messages in a row need nothing but promise jobs and our own turns', async () => {
    vi.useFakeTimers();
    const client = new ClientV1(INFO);
    await client.connect(await linked());
    for (let index = 0; index < 2000; index++) await client.ping();
    await client.close();
  });
});
