import { taskStore } from '@mcp-fittings/tasks';
import { expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openStore } from './support/open-store.mjs';
import { startRedis } from './support/redis-server.js';

describeWithRedis('open tasks in Redis', () => {
  it('are shared by the replicas of a host, and none is lost when both add and remove at once', async () => {
    await using redis = await startRedis();
    const argument = JSON.stringify({ client: 'redis', port: redis.port, namespace: 'tasks' });
    await using first = await openStore(argument);
    await using second = await openStore(argument);
    const [ours, theirs] = [taskStore(first), taskStore(second)];
    const record = (taskId: string) => ({
      taskId,
      tool: 'render',
      since: Date.now(),
      ttlMs: 60_000,
      answered: [],
    });
    await Promise.all(
      [0, 1, 2, 3, 4].flatMap((at) => [
        ours.put('ann', record(`a${at}`)),
        theirs.put('ann', record(`b${at}`)),
      ]),
    );
    await Promise.all([ours.remove('ann', 'b0'), theirs.remove('ann', 'a0')]);
    const ids = (await theirs.list('ann')).map(({ taskId }) => taskId);
    expect(ids.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']);
    expect(await ours.list('bob')).toEqual([]);
  });
});
