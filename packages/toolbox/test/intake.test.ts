import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Intake } from '../src/base-transport/intake.js';
import { TurnBudget } from '../src/base-transport/turn-budget.js';
import { WireTransport } from './support/wire-transport.js';

/** Each item takes as many milliseconds as it says. */
function paced(budgetMs = 3) {
  let now = 100;
  const order: string[] = [];
  const budget = new TurnBudget({ budgetMs, now: () => now });
  const take = (ms: number): void => {
    now += ms;
    order.push(String(ms));
  };
  const intake = new Intake<number>(budget, take, (ms) => ms);
  return { intake, budget, order, pass: (ms: number) => (now += ms) };
}

async function drained(intake: Intake<number>): Promise<void> {
  await new Promise<void>((resolve) => intake.whenReady(resolve));
}

/**
 * Keeps the timers of a budget from running, and returns their delays. Others stay as they are: Vitest waits with timers for what a
 * worker reports.
 */
function holdTimers() {
  const delays: number[] = [];
  const start = globalThis.setTimeout;
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, ms: number) => {
    if (new Error().stack?.includes('turn-budget') !== true) return start(task, ms);
    delays.push(ms);
    return 0;
    // The handle is given to `clearTimeout` only, which takes any number.
  }) as unknown as typeof setTimeout);
  return { delays, timer };
}

describe('a peer that floods', () => {
  it('leaves turns of the event loop to others: those are served before the flood is consumed', async () => {
    const { intake, order } = paced();
    let turns = 0;
    const others = setInterval(() => undefined, 1000);
    const good = turn().then(() => order.push('good'));
    for (let count = 0; count < 300; count++) intake.push(1);
    expect(order).toHaveLength(3);
    expect(intake.busy).toBe(true);
    await good;
    expect(order.indexOf('good')).toBeLessThan(100);
    while (intake.busy) {
      await turn();
      turns++;
    }
    expect(turns).toBeGreaterThan(10);
    expect(order.filter((entry) => entry === '1')).toHaveLength(300);
    clearInterval(others);
  });

  it('a large message waits for a turn in which nothing was done, and the next one waits for another', async () => {
    const { intake, order } = paced();
    intake.push(1);
    intake.push(200);
    intake.push(201);
    expect(order).toEqual(['1']);
    await turn().then(() => order.push('good'));
    await drained(intake);
    expect(order.slice(0, 1)).toEqual(['1']);
    expect(order.indexOf('good')).toBeLessThan(order.indexOf('201'));
    // Alone it is handled at once.
    const alone = paced();
    alone.intake.push(500);
    expect(alone.order).toEqual(['500']);
    expect(alone.intake.busy).toBe(true);
    await drained(alone.intake);
    expect(alone.intake.busy).toBe(false);
  });

  it('counts what its messages cause in promise jobs, once it works at all', async () => {
    const { intake, budget, pass } = paced();
    intake.push(1);
    pass(5);
    expect(budget.isSpent()).toBe(true);
    await turn();
    await turn();
    expect(budget.isSpent()).toBe(false);
  });

  it('ordinary messages with pauses in between never wait', () => {
    const { intake, order, pass } = paced();
    for (let count = 0; count < 50; count++) {
      intake.push(0.5);
      pass(1);
    }
    expect(order).toHaveLength(50);
  });

  it('pauses its source while items wait, and reads on when they are handled', async () => {
    const { intake, order } = paced();
    const source = new PassThrough({ highWaterMark: 1 });
    const paused: boolean[] = [];
    source.on('data', (chunk: Buffer) => {
      intake.read(source, () => {
        order.push(String(chunk));
        for (let count = 0; count < 4; count++) intake.push(1);
      });
      paused.push(source.isPaused());
    });
    for (const chunk of ['a', 'b']) source.write(chunk);
    while (order.length < 10) await turn();
    expect(order.join('')).toBe('a1111b1111');
    expect(paused).toEqual([true, true]);
  });

  it('nothing waits while the clock is stopped', () => {
    vi.useFakeTimers();
    try {
      let taken = 0;
      const intake = new Intake(
        new TurnBudget(),
        () => taken++,
        () => 100,
      );
      for (let count = 0; count < 10_000; count++) intake.push(count);
      expect(taken).toBe(10_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps the order, handles waiting items when the wire fails, and drops them after close()', async () => {
    for (const end of ['fail', 'close'] as const) {
      const taken: number[] = [];
      const wire = new (class extends WireTransport {
        readonly in = this.intake<number>((item) => {
          const until = performance.now() + 1;
          while (performance.now() < until);
          taken.push(item);
        });
      })();
      await wire.start();
      for (let count = 0; count < 20; count++) wire.in.push(count);
      expect(taken.length).toBeLessThan(20);
      const before = taken.length;
      if (end === 'fail') wire.break();
      await wire.close();
      await turn();
      expect(taken).toEqual(Array.from({ length: end === 'fail' ? 20 : before }, (_, index) => index));
    }
  });
});

/** Like `paced`, with an own timer: `wake` says how long the intake wanted to wait, and lets that time pass. */
function shared(share: number) {
  let now = 100;
  const order: string[] = [];
  const waits: { task: () => void; ms: number }[] = [];
  const budget = new TurnBudget({
    now: () => now,
    later(task, ms) {
      const wait = { task, ms };
      waits.push(wait);
      return () => void waits.splice(waits.indexOf(wait), 1);
    },
  });
  budget.limitUnsolicited(share);
  interface Item {
    readonly kind: 'requested' | 'unsolicited';
    readonly ms: number;
    readonly estimate?: number;
  }
  const take = ({ kind, ms }: Item): void => {
    now += ms;
    order.push(kind);
    budget.settle(kind);
  };
  const intake = new Intake<Item>(budget, take, ({ estimate = 0 }) => estimate);
  const rest = async (): Promise<void> => {
    for (let turns = 0; turns < 400 && waits.length === 0 && intake.busy; turns++) await turn();
  };
  const wake = async (): Promise<number> => {
    const wait = waits.shift();
    now += wait?.ms ?? 0;
    wait?.task();
    await rest();
    return wait?.ms ?? 0;
  };
  return { intake, budget, order, waits, rest, wake, time: () => now };
}

describe('the share of unsolicited input', () => {
  it('a flood waits after a burst, and takes its share of the time from then on', async () => {
    const { intake, order, waits, rest, wake, time } = shared(1 / 8);
    for (let count = 0; count < 400; count++) intake.push({ kind: 'unsolicited', ms: 1 });
    await rest();
    expect(waits).toHaveLength(1);
    expect(order.length).toBeGreaterThanOrEqual(50);
    expect(order.length).toBeLessThan(60);
    expect(intake.busy).toBe(true);
    const before = { done: order.length, at: time() };
    for (let count = 0; count < 20; count++) {
      order.push('others');
      await wake();
    }
    const done = order.filter((entry) => entry === 'unsolicited').length - before.done;
    expect(done).toBeGreaterThan(50);
    expect(done / (time() - before.at)).toBeLessThanOrEqual(1 / 8);
    // The others are served in between, again and again.
    expect(order.join(' ')).not.toMatch(/(unsolicited ){10}.*others.*(unsolicited ){10}/);
    await wake();
  });

  it('requested responses never wait for the share, however many arrive', async () => {
    const { intake, order, waits, rest } = shared(1 / 8);
    for (let count = 0; count < 1000; count++) intake.push({ kind: 'requested', ms: 1 });
    await rest();
    await drainedTurns(intake);
    expect(order).toHaveLength(1000);
    expect(waits).toEqual([]);
  });

  it('one large message makes the next one wait longer than many small ones of the same time', async () => {
    const large = shared(1 / 8);
    large.intake.push({ kind: 'unsolicited', ms: 40, estimate: 100 });
    large.intake.push({ kind: 'unsolicited', ms: 40, estimate: 100 });
    await large.rest();
    expect(large.order).toHaveLength(1);
    expect(await large.wake()).toBeGreaterThan(40 / 0.05);
    expect(large.order).toHaveLength(2);
    const small = shared(1 / 8);
    for (let count = 0; count < 40; count++) small.intake.push({ kind: 'unsolicited', ms: 1 });
    await small.rest();
    expect(small.order).toHaveLength(40);
    expect(small.waits).toEqual([]);
  });

  it('a small message during which the system ran another program does not make its peer wait', async () => {
    const { intake, order, waits, rest } = shared(1 / 8);
    intake.push({ kind: 'unsolicited', ms: 500 });
    intake.push({ kind: 'requested', ms: 1 });
    await rest();
    await drainedTurns(intake);
    expect(order).toEqual(['unsolicited', 'requested']);
    expect(waits).toEqual([]);
  });

  it('no wait is longer than two seconds, and close() cancels it', async () => {
    const { intake, budget, order, waits, rest } = shared(1 / 8);
    for (let count = 0; count < 3; count++) intake.push({ kind: 'unsolicited', ms: 60_000, estimate: 100 });
    await rest();
    expect(order).toHaveLength(1);
    expect(waits.map(({ ms }) => ms)).toEqual([2000]);
    intake.stop();
    budget.close();
    expect(waits).toEqual([]);
  });

  it.each(['notifications', 'requests', 'unexpected responses', 'invalid messages', 'noise'])(
    'a transport counts %s, and not the answers that its host waits for',
    async (kind) => {
      let now = 100;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
      const { delays, timer } = holdTimers();
      try {
        const wire = new (class extends WireTransport {
          readonly in = this.intake<unknown>((value) => {
            now += 2;
            if (value === 'noise') this.reportCounted('MESSAGE_INVALID', () => 'noise');
            else this.receive(value);
          });
        })();
        wire.limitUnsolicited(1 / 8);
        await wire.start();
        const received: unknown[] = [];
        wire.onmessage = (message) => received.push(message);
        for (let id = 0; id < 200; id++) {
          const answered = wire.send({ jsonrpc: '2.0', id, method: 'ping' });
          wire.in.push({ jsonrpc: '2.0', id, result: {} });
          await answered;
        }
        expect(received).toHaveLength(200);
        clearTimeout(setTimeout(() => undefined, 60_000));
        expect(delays).toEqual([]);
        const flood: Record<string, unknown> = {
          notifications: { jsonrpc: '2.0', method: 'n' },
          requests: { jsonrpc: '2.0', id: 1, method: 'roots/list' },
          'unexpected responses': { jsonrpc: '2.0', id: 'x', result: {} },
          'invalid messages': { some: 'thing' },
          noise: 'noise',
        };
        for (let count = 0; count < 200; count++) wire.in.push(flood[kind]);
        for (let turns = 0; turns < 400 && delays.length === 0; turns++) await turn();
        expect(delays).toHaveLength(1);
        await wire.close();
      } finally {
        timer.mockRestore();
        clock.mockRestore();
      }
    },
  );

  it('nothing waits for a timer unless a host sets a share', async () => {
    const { delays, timer } = holdTimers();
    try {
      const { intake, order } = paced();
      for (let count = 0; count < 500; count++) intake.push(1);
      await drained(intake);
      expect(order).toHaveLength(500);
      expect(delays).toEqual([]);
    } finally {
      timer.mockRestore();
    }
  });
});

async function drainedTurns(intake: Pick<Intake<never>, 'busy'>): Promise<void> {
  while (intake.busy) await turn();
}
