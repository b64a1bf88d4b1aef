import type { ReplicaMembership, SharedLimit, SharedState } from '@mcp-fittings/client-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Where state is shared. `open` opens it as another replica does. */
export interface StatePlace extends AsyncDisposable {
  open(): Promise<SharedState>;
}

const MINUTE = { lifetimeMs: 60_000 };
const HOUR_MS = 3_600_000;
const patiently = { timeout: 10_000, interval: 10 };

/** What holds for every {@link SharedState}. */
export function sharedStateCases(name: string, place: () => Promise<StatePlace>): void {
  describe(`the shared state, ${name}`, () => {
    let states: StatePlace;
    let ours: SharedState;
    let theirs: SharedState;
    const joined: ReplicaMembership[] = [];
    beforeEach(async () => {
      states = await place();
      [ours, theirs] = [await states.open(), await states.open()];
    });
    afterEach(async () => {
      await Promise.all(joined.splice(0).map((replica) => replica.leave()));
      await states[Symbol.asyncDispose]();
    });
    const join = async (state: SharedState) => {
      const received: unknown[] = [];
      const replica = state.join((message, from) => received.push({ message, from }));
      joined.push(replica);
      await replica.joined;
      return { replica, received };
    };

    it('another replica reads, replaces and removes a record', async () => {
      const value = { level: 'debug', uris: ['a://\u00fc', '\ud800'], none: null };
      expect(await ours.get('a')).toBeUndefined();
      expect(await ours.set('a', value, MINUTE)).toBe(true);
      value.level = 'changed';
      expect((await theirs.get('a'))?.value).toEqual({ ...value, level: 'debug' });
      expect(await theirs.get('b')).toBeUndefined();
      await theirs.set('a', 'text', MINUTE);
      expect((await ours.get('a'))?.value).toBe('text');
      await theirs.delete('a');
      expect(await ours.get('a')).toBeUndefined();
    });

    it('of two changes of one version, one succeeds', async () => {
      expect(await ours.set('a', 0, { ...MINUTE, version: 'other' })).toBe(false);
      const first = await Promise.all(
        [ours, theirs].map((state, at) => state.set('a', at, { ...MINUTE, version: '' })),
      );
      expect(first.filter(Boolean)).toHaveLength(1);
      const increment = async (state: SharedState): Promise<void> => {
        for (;;) {
          const found = await state.get('a');
          const next = Number(found?.value) + 1;
          if (await state.set('a', next, { ...MINUTE, version: found?.version ?? '' })) return;
        }
      };
      await ours.set('a', 0, MINUTE);
      await Promise.all([ours, theirs, ours, theirs, ours].map(increment));
      expect((await ours.get('a'))?.value).toBe(5);
    });

    it('a record ends after its lifetime, which can be extended', async () => {
      await ours.set('short', 1, { lifetimeMs: 50 });
      await ours.set('extended', 1, { lifetimeMs: 1000 });
      expect(await theirs.touch('extended', 60_000)).toBe(true);
      expect(await theirs.touch('absent', 60_000)).toBe(false);
      await expect.poll(() => ours.get('short'), patiently).toBeUndefined();
      expect(await ours.get('extended')).toBeDefined();
      expect(await ours.get('absent')).toBeUndefined();
    });

    it('messages reach a replica once, in order, and no other one', async () => {
      const [a, b, c] = [await join(ours), await join(theirs), await join(theirs)];
      const ids = [a, b, c].map(({ replica }) => replica.id);
      expect(new Set(ids).size).toBe(3);
      expect((await a.replica.replicas()).toSorted()).toEqual(ids.toSorted());
      using _ = b.replica.expect();
      const texts = Array.from({ length: 250 }, (__, at) => ({ at, text: '\u00fc'.repeat(at) }));
      for (const text of texts) expect(await a.replica.send(b.replica.id, text)).toBe(true);
      await expect.poll(() => b.received.length, patiently).toBe(250);
      expect(b.received).toEqual(texts.map((message) => ({ message, from: a.replica.id })));
      expect(await b.replica.send(b.replica.id, 'to itself')).toBe(true);
      await expect.poll(() => b.received.length, patiently).toBe(251);
      expect([a.received, c.received]).toEqual([[], []]);
    });

    it('a replica that has left, or that never was, is not there', async () => {
      const [a, b] = [await join(ours), await join(theirs)];
      await b.replica.leave();
      expect(await a.replica.send(b.replica.id, 'late')).toBe(false);
      expect(await a.replica.send('made up', 'late')).toBe(false);
      expect(await a.replica.replicas()).toEqual([a.replica.id]);
      expect(b.received).toEqual([]);
    });

    it('replicas count against one limit, and say when to come again', async () => {
      const limit: SharedLimit = { key: 'ann', requests: 10, intervalMs: HOUR_MS };
      const admissions = await Promise.all(
        Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? ours : theirs).admit([limit])),
      );
      expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(10);
      const refused = await ours.admit([limit]);
      if (refused.admitted) throw new Error('admitted');
      expect(refused.retryAfterMs).toBeGreaterThan(HOUR_MS / 10 - 60_000);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(HOUR_MS / 10);
      expect(await ours.admit([{ ...limit, key: 'bob' }])).toEqual({ admitted: true });
      expect(await ours.admit([])).toEqual({ admitted: true });
    });

    it('what one limit refuses does not count against the others', async () => {
      const person: SharedLimit = { key: 'person', requests: 2, intervalMs: HOUR_MS };
      const server: SharedLimit = { key: 'server', requests: 1, intervalMs: HOUR_MS };
      expect(await ours.admit([person, server])).toEqual({ admitted: true });
      for (let at = 0; at < 5; at++) {
        expect(await theirs.admit([person, server])).toMatchObject({ admitted: false });
      }
      expect(await ours.admit([person])).toEqual({ admitted: true });
      expect(await ours.admit([person])).toMatchObject({ admitted: false });
    });

    it('an exhausted limit admits again after the time that it gave', async () => {
      const limit: SharedLimit = { key: 'fast', requests: 4, intervalMs: 400 };
      for (let at = 0; at < 4; at++) await ours.admit([limit]);
      // On a slow machine the limit admits a request again before the next one asks.
      await expect
        .poll(() => theirs.admit([limit]), { ...patiently, interval: 1 })
        .toEqual({ admitted: false, retryAfterMs: expect.any(Number) });
      await expect.poll(() => ours.admit([limit]), patiently).toEqual({ admitted: true });
    });
  });
}
