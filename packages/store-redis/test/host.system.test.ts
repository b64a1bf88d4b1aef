import { createHost, type Host } from '@mcp-fittings/host';
import { createOAuthProvider } from '@mcp-fittings/auth-oauth';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { redisCache, redisStore } from '@mcp-fittings/store-redis';
import { http } from '@mcp-fittings/transport-http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { createWorld, type World } from '../../auth-oauth/test/support/world.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import { startRedis, type RedisServer } from './support/redis-server.js';

const LIFE_S = 86_400;
const redirectUri = 'http://127.0.0.1:8080/signed-in';
const patiently = { timeout: 10_000 };
const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('a web application with two replicas and a real authorization server', () => {
  let redis: RedisServer;
  let world: World;
  let client: Awaited<ReturnType<typeof openClient>>;
  let passed: number;
  beforeEach(async () => {
    passed = 0;
    redis = await startRedis({ persistent: true });
    client = await openClient({ client: 'redis', port: redis.port });
    world = await createWorld({ accessTokenTtl: LIFE_S });
    const initialized = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'notes', version: '1' },
    };
    const tools = [{ name: 'read', inputSchema: { type: 'object' } }];
    const results: Readonly<Record<string, object>> = {
      initialize: initialized,
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: 'a note' }] },
    };
    world.resource.answer = ({ id, method = '' }) => ({ jsonrpc: '2.0', id, result: results[method] ?? {} });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  /** The example of docs/fleet.md. */
  const replica = () => {
    const store = redisStore({ client, key, timeoutMs: 1000 });
    const provider = createOAuthProvider({
      url: world.resource.url,
      server: 'notes',
      clientName: 'tests',
      store,
      clock: { ...systemClock, now: () => Date.now() + passed },
    });
    const host = createHost({
      name: 'tests',
      version: '1',
      transports: [http()],
      auth: [{ specVersion: 1, scheme: 'oauth', create: () => provider }],
      cache: redisCache({ client, key, timeoutMs: 300 }),
    });
    return { host, provider };
  };
  const connect = async (host: Host): Promise<string> => {
    const [notes] = await host.connect({ notes: { url: world.resource.url } });
    return notes?.state.status ?? '';
  };
  const read = async (host: Host): Promise<unknown> =>
    (await host.callTool({ server: 'notes', tool: 'read' })).content;
  const note = [{ type: 'text', text: 'a note' }];

  it('needs a sign-in, gets it through the other replica, and continues while Redis is down and after it was emptied', async () => {
    const [first, second] = [replica(), replica()];
    expect(await connect(first.host)).toBe('needs-auth');

    // The first replica sends the browser away; the callback reaches the second one.
    const { url } = await first.provider.startSignIn({ redirectUri });
    await second.provider.completeSignIn((await scriptedPerson(url)).location ?? '');
    expect([await connect(second.host), await connect(first.host)]).toEqual(['connected', 'connected']);

    await redis.kill();
    expect([await read(first.host), await read(second.host)]).toEqual([note, note]);
    passed = (LIFE_S + 60) * 1000;
    await expect(read(first.host)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('Redis'),
    });
    await redis.start();
    passed += 60_000;
    await expect.poll(() => read(first.host).catch(() => undefined), patiently).toEqual(note);
    expect(await read(second.host)).toEqual(note);

    await redis.cli('FLUSHALL');
    expect(await read(first.host)).toEqual(note);
    passed += (LIFE_S + 60) * 1000;
    await expect(read(first.host)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await expect
      .poll(() => first.host.server('notes').state, patiently)
      .toMatchObject({
        status: 'needs-auth',
        error: { message: expect.stringContaining('Redis has lost a credential') },
      });
    const again = await second.provider.startSignIn({ redirectUri });
    await first.provider.completeSignIn((await scriptedPerson(again.url)).location ?? '');
    expect(await connect(first.host)).toBe('connected');
    expect(await read(second.host)).toEqual(note);
    await first.host.close();
    await second.host.close();
  });
});
