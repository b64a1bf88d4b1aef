import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { startRedis } from './support/redis-server.js';
import { startFleet, type Fleet, type Replica } from './support/replicas.js';
import { LIFE_S, startRotatingServer, type RotatingServer } from './support/rotating-server.js';

/** CI runs all of them; locally, fewer are enough to notice a defect. */
const ROTATIONS = rounds(500);
const PROCESSES = 8;
const redirectUri = 'http://127.0.0.1:8080/back';

describeWithRedis(
  'eight processes on two machines, and an authorization server that rotates strictly',
  () => {
    /** One replica starts the sign-in, another completes it. */
    const signIn = async ({ replicas: [first, second] }: Fleet): Promise<void> => {
      const started = await first?.ask('web', redirectUri);
      const iss = started?.page === undefined ? '' : new URL(started.page).origin;
      const answer = new URLSearchParams({ code: 'code', state: started?.state ?? '', iss });
      expect(await second?.ask('back', `${redirectUri}?${answer.toString()}`)).toEqual({ ok: true });
    };

    /** In each round the token of all replicas has expired at once. */
    const rotate = async (
      server: RotatingServer,
      fleet: Fleet,
      during: (round: number) => Promise<void> = async () => undefined,
    ): Promise<readonly string[]> => {
      const troubles: string[] = [];
      for (let round = 1; round <= ROTATIONS; round++) {
        const fault = during(round);
        const answers = await Promise.all(
          fleet.replicas.map((replica) => replica.ask('go', round * LIFE_S * 1000)),
        );
        await fault;
        troubles.push(...answers.flatMap((answer) => answer.troubles ?? [JSON.stringify(answer)]));
        const tokens = answers.map(({ token }) => token);
        const right = Array.from({ length: PROCESSES }, () => server.accessToken);
        expect(tokens, `round ${round}: ${troubles.join()}`).toEqual(right);
        expect([server.refreshes, server.refused], `round ${round}`).toEqual([round, 0]);
      }
      return troubles;
    };

    it.concurrent(
      `${ROTATIONS} rotations: exactly ${ROTATIONS} refreshes, and no refresh token is sent twice`,
      async () => {
        await using redis = await startRedis();
        await using server = await startRotatingServer();
        await using fleet = await startFleet({
          ...redis,
          url: server.url,
          size: PROCESSES,
          clientId: 'fleet',
        });
        await signIn(fleet);
        expect(await rotate(server, fleet)).toEqual([]);
      },
      240_000,
    );

    it.concurrent(
      `${ROTATIONS} rotations while Redis is killed and holders are suspended past their lease: still ${ROTATIONS} refreshes`,
      async () => {
        const leaseMs = 1000;
        await using redis = await startRedis({ persistent: true });
        await using server = await startRotatingServer();
        const size = PROCESSES;
        await using fleet = await startFleet({ ...redis, url: server.url, size, leaseMs, clientId: 'fleet' });
        await signIn(fleet);

        const outage = async (ms: number): Promise<void> => {
          await redis.kill();
          await setTimeout(ms);
          await redis.start();
        };
        /** After a refresh token was used, and before its sender knows the result. */
        const inFlight = (): Promise<void> =>
          new Promise((resolve) => {
            server.beforeAnswer = async () => {
              server.beforeAnswer = undefined;
              resolve();
            };
          });
        const suspend = async (replica: Replica): Promise<void> => {
          replica.signal('SIGSTOP');
          await setTimeout(2.5 * leaseMs);
          replica.signal('SIGCONT');
        };
        /** By tenths of the rotations. */
        const faults: Readonly<Record<number, () => Promise<void>>> = {
          1: () => outage(300),
          2: () => inFlight().then(() => outage(300)),
          3: async () => suspend(await fleet.nextAsking()),
          4: async () => {
            const holder = fleet.nextAsking();
            await inFlight();
            await suspend(await holder);
          },
          // Longer than one write waits, and longer than a lease lasts.
          5: () => inFlight().then(() => outage(2500)),
          6: () => outage(2500),
          7: async () => {
            const holder = await fleet.nextAsking();
            await Promise.all([suspend(holder), outage(300)]);
          },
        };
        const troubles = await rotate(server, fleet, async (round) => faults[(round * 10) / ROTATIONS]?.());
        // No replica asked for a sign-in, and none reported a lost credential.
        const passing = ['STORE_UNAVAILABLE', 'STORE_LOCK_LOST', 'STORE_BUSY'];
        expect(troubles.filter((code) => !passing.includes(code))).toEqual([]);
        expect(troubles).toContain('STORE_UNAVAILABLE');
      },
      240_000,
    );
  },
);
