import { redisSharedState, type RedisClient } from '@mcp-fittings/store-redis';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { expect, it } from 'vitest';
import { ReplicaLink } from '../../gateway/src/state/replica-link.js';
import { SharedSessions } from '../../gateway/src/state/shared-sessions.js';
import { create, post, startReplica } from '../../gateway/test/support/task-replica.js';
import { INITIALIZE, SIGNED, startTestGateway } from '../../gateway/test/support/test-gateway.js';
import { sdkServer } from '../../tasks/test/support/sdk-server.js';
import { createTaskBoard } from '../../tasks/test/support/task-board.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('two gateways over one Redis', () => {
  let client: RedisClient;
  useRedis('redis', (_server, opened) => (client = opened));
  const open = () => redisSharedState({ client, key, pollMs: 50, timeoutMs: 10_000 });

  it('continue the task of a replica that has ended, for its caller', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const one = await startReplica(server.url, { state: open() });
    await using two = await startReplica(server.url, { state: open() });
    const taskId = await create(one.url, 'studio__render');
    await one[Symbol.asyncDispose]();
    expect((await post(two.url, 'tasks/get', { taskId }, { token: 'bob' })).error).toMatchObject({
      code: -32_602,
    });
    const get = async () => (await post(two.url, 'tasks/get', { taskId })).result;
    expect([await get(), await get()]).toMatchObject([{ status: 'working' }, { status: 'working' }]);
    expect(await get()).toMatchObject({ status: 'completed' });
  });

  it('continue an event stream, while the replica of its call works on', async () => {
    const start = () => {
      const state = open();
      const link = new ReplicaLink(state, systemClock);
      return startTestGateway({ sessions: { shared: new SharedSessions(state, link) } });
    };
    const [one, two] = [await start(), await start()];
    const session = (await one.post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const params = { name: 'wait', arguments: {}, _meta: { progressToken: 1 } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { body } = await one.post(call, { 'mcp-session-id': session });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const text = (await reader?.read())?.value ?? '';
    await reader?.cancel();
    const place = { 'mcp-session-id': session, 'last-event-id': /id: (.*)/.exec(text)?.[1] ?? '' };
    const others = { ...SIGNED, ...place, authorization: 'Bearer bob' };
    expect((await fetch(two.url, { headers: others })).status).toBe(404);
    const rest = await fetch(two.url, { headers: { ...SIGNED, ...place } });
    expect(rest.status).toBe(200);
    one.surface.finish();
    expect(await rest.text()).toContain('"text":"waited"');
    expect(one.surface.canceled()).toBe(0);
    await Promise.all([one, two].map((each) => each[Symbol.asyncDispose]()));
  });
});
