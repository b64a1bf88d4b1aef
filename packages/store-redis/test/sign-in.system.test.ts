import { afterEach, beforeEach, expect, it } from 'vitest';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { createWorld, type World } from '../../auth-oauth/test/support/world.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { startRedis, type RedisServer } from './support/redis-server.js';
import { startFleet, type Fleet, type Replica } from './support/replicas.js';

const redirectUri = 'http://127.0.0.1:8080/signed-in';
const DAY_S = 86_400;

describeWithRedis('a fleet with a real authorization server (oidc-provider, strict rotation)', () => {
  let redis: RedisServer;
  let world: World;
  let fleet: Fleet;
  beforeEach(async () => {
    redis = await startRedis();
    world = await createWorld({ accessTokenTtl: DAY_S });
    fleet = await startFleet({ url: world.resource.url, port: redis.port, size: 4 });
  });
  afterEach(async () => {
    await fleet[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  const replica = (n: number): Replica => {
    const found = fleet.replicas[n];
    if (found === undefined) throw new Error(`no replica ${n}`);
    return found;
  };
  const start = async (n: number): Promise<string> => {
    const { page = '', ...failed } = await replica(n).ask('web', redirectUri);
    expect(failed).not.toHaveProperty('code');
    const { location = '' } = await scriptedPerson(page);
    return location;
  };
  const grants = (): readonly string[] =>
    world.as.tokenRequests.map(({ grant, status }) => `${grant} ${status}`);

  it('one process starts a sign-in, another completes it, all are signed in; then 25 rotations, each refreshed once', async () => {
    const callback = await start(0);
    expect(await replica(1).ask('back', callback)).toEqual({ ok: true });
    for (let round = 0; round <= 25; round++) {
      const answers = await Promise.all(fleet.replicas.map((each) => each.ask('go', round * DAY_S * 1000)));
      const [{ token } = {}] = answers;
      expect(token).toMatch(/./);
      expect(answers).toEqual(answers.map(() => ({ token, troubles: [] })));
      expect(grants()).toEqual(['authorization_code 200', ...Array(round).fill('refresh_token 200')]);
    }
  });

  it('a late callback is refused, and the pending sign-in expires in Redis', async () => {
    const callback = await start(0);
    await replica(1).ask('go', 3_600_000);
    expect(await replica(1).ask('back', callback)).toEqual({ code: 'TIMEOUT' });
    expect(await replica(2).ask('back', callback)).toEqual({ code: 'AUTH_FAILED' });
    await start(2);
    const lives = await Promise.all(
      (await redis.cli('--raw', 'KEYS', '*:value')).split('\n').map((name) => redis.cli('PTTL', name)),
    );
    // The other value is the registration, which stays.
    expect(lives.filter((ms) => Number(ms) > 0 && Number(ms) < 25 * 3_600_000)).toHaveLength(1);
    expect(lives.filter((ms) => ms === '-1')).toHaveLength(1);
  });
});
