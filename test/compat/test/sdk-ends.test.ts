import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Transport } from '@mcp-fittings/client-core';
import type { Exchange } from '../../../packages/transport-http/test/support/scripted-server.js';
import { wireServers, type WireServerOptions } from './support/wire-servers.js';

const INFO = { name: 'test', version: '1.0.0' };
const CHANGED = 'notifications/tools/list_changed';

const clients = {
  'SDK v1': () => new ClientV1(INFO),
  'SDK v2': () => new ClientV2(INFO),
  'SDK v2, auto': () => new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } }),
};
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

const TOY = fileURLToPath(
  new URL('../../../packages/transport-stdio/test/support/toy-server.mjs', import.meta.url),
);
/** A program that knows nothing but `initialize`, to which it does this. */
const knowing = (reaction: string): readonly string[] => [
  '-e',
  `process.stdin.on('data', (line) => {
    const { id, method } = JSON.parse(line);
    const say = (answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    if (method === 'initialize') ${reaction};
    else say({ error: { code: -32601, message: 'no' } });
  })`,
];

type Create = (typeof clients)[keyof typeof clients];
interface Connects extends AsyncDisposable {
  connect(): Transport;
}
type Wire = (options?: WireServerOptions) => Promise<Connects>;

/** Servers of this machine. */
const localServers: Readonly<Record<'stdio' | 'in-process', Wire>> = {
  async stdio({ version, dies } = {}) {
    const result = `{ protocolVersion: '${version}', capabilities: {}, serverInfo: { name: 'old', version: '1' } }`;
    const program =
      dies === true
        ? knowing('process.exit(3)')
        : version === undefined
          ? [TOY]
          : knowing(`say({ result: ${result} })`);
    return {
      connect: () => createStdioTransport({ command: process.execPath, args: program, server: 'test' }),
      async [Symbol.asyncDispose]() {},
    };
  },
  async 'in-process'({ version } = {}) {
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
    return { connect: () => ours, async [Symbol.asyncDispose]() {} };
  },
};

/**
 * Stops all that vitest stops by default. Under http and sse `setImmediate` is left alone: undici uses it before it sends on a
 * socket that has been used before, and looks it up in the global scope.
 */
function stopTimers(wire: unknown): void {
  if (wire !== wireServers.http && wire !== wireServers.sse) vi.useFakeTimers();
  else vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date', 'performance'] });
}

/** Each client with each of these servers. */
const cells = (servers: Readonly<Record<string, Wire>>) =>
  Object.entries(clients).flatMap(([client, create]) =>
    Object.entries(servers).map(([name, wire]): [string, string, Create, Wire] => [
      client,
      name,
      create,
      wire,
    ]),
  );

afterEach(() => void vi.useRealTimers());

describe.each(cells({ ...wireServers, ...localServers }))('%s over %s', (_, __, create, start) => {
  const failures: readonly [string, WireServerOptions, string | RegExp][] = [
    ['a revision that it does not know', { version: '1999-01-01' }, '1999-01-01'],
    [
      'a server that dies in the handshake',
      { dies: true },
      /was lost|closed the connection|exited with code 3/,
    ],
  ];
  // A server in this process does not die alone.
  it.each(start === localServers['in-process'] ? failures.slice(0, 1) : failures)(
    'has no transport once connect() was rejected, by %s',
    async (___, options, message) => {
      await using server = await start(options);
      const client = create();
      await expect(client.connect(server.connect())).rejects.toThrow(message);
      expect(client.transport).toBeUndefined();
    },
  );

  it('rejects open requests with its own error after its own close()', async () => {
    await using server = await start();
    const client = create();
    await client.connect(server.connect());
    const pending = client.ping().then(
      () => 'answered',
      (error: unknown) => error,
    );
    await client.close();
    // v1 has -32000, v2 CONNECTION_CLOSED.
    expect(String(await pending)).toMatch(/Connection closed/);
    expect(client.transport).toBeUndefined();
  });

  it('connects, asks and closes while no timer runs', async () => {
    await using server = await start({ announces: true });
    stopTimers(start);
    const client = create();
    await client.connect(server.connect());
    // Whole round trips, in which the connection could have opened.
    for (let index = 0; index < 50; index++) await client.ping();
    await client.close();
    vi.useRealTimers();
  });
});

describe.each(cells(wireServers))('%s over %s', (_, __, create, start) => {
  it('hears what is announced as soon as it has sent notifications/initialized', async () => {
    await using server = await start({ announces: true });
    const client = create();
    const heard = new Promise<string>((resolve) => {
      client.fallbackNotificationHandler = (notification: { method: string }) => {
        resolve(notification.method);
        return Promise.resolve();
      };
    });
    await client.connect(server.connect());
    expect(await heard).toBe(CHANGED);
    await client.close();
  });
});

// In its automatic mode SDK v2 closes a transport whose start() is refused, so the first client loses it.
it.each([
  ['SDK v1', clients['SDK v1']],
  ['SDK v2', clients['SDK v2']],
] as const)('a second client of %s that is refused gets none of the answers', async (_, create) => {
  await using server = await localServers['in-process']();
  const transport = server.connect();
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

describe.each(Object.entries(clients))('%s over http', (_, create) => {
  it('is connected when the event stream is open, and not before', async () => {
    const asked = deferred<Exchange>();
    await using server = await wireServers.http({ onStream: (exchange) => asked.resolve(exchange) });
    const client = create();
    let connected = false;
    const connecting = client.connect(server.connect()).then(() => (connected = true));
    const exchange = await asked.promise;
    // Whole round trips, in which the connection could have opened.
    for (let index = 0; index < 5; index++)
      await fetch(`http://${exchange.headers.host ?? ''}/x`, { method: 'DELETE' });
    expect(connected).toBe(false);
    exchange.sse();
    await connecting;
    await client.close();
  });

  it('is connected a second later where the server leaves the GET unanswered', async () => {
    const asked = deferred<Exchange>();
    await using server = await wireServers.http({ onStream: (exchange) => asked.resolve(exchange) });
    stopTimers(wireServers.http);
    const client = create();
    let connected = false;
    const connecting = client.connect(server.connect()).then(() => (connected = true));
    await asked.promise;
    await vi.advanceTimersByTimeAsync(990);
    expect(connected).toBe(false);
    await vi.advanceTimersByTimeAsync(10);
    await connecting;
    await client.close();
  });

  it.each([405, 404, 500])('is connected where the GET is refused with %d', async (status) => {
    await using server = await wireServers.http({ onStream: (exchange) => exchange.plain(status) });
    stopTimers(wireServers.http);
    const client = create();
    await client.connect(server.connect());
    await client.close();
  });
});
