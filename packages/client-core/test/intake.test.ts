import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createIntake, TurnBudget, type Intake } from '../src/transport.js';
import { WireTransport } from './support/wire-transport.js';

/** Each item takes as many milliseconds as it says. */
function paced(budgetMs = 3) {
  let now = 100;
  const order: string[] = [];
  const budget = new TurnBudget({ budgetMs, now: () => now });
  const intake = createIntake<number>({
    budget,
    take(ms) {
      now += ms;
      order.push(String(ms));
    },
    estimateMs: (ms) => ms,
  });
  return { intake, budget, order, pass: (ms: number) => (now += ms) };
}

async function drained(intake: Intake<number>): Promise<void> {
  await new Promise<void>((resolve) => intake.whenReady(resolve));
}

describe('D10 a peer that floods', () => {
  it('D10 leaves turns of the event loop to others: those are served before the flood is consumed', async () => {
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

  it('D10 a large message waits for a turn in which nothing was done, and the next one waits for another', async () => {
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

  it('D10 counts what its messages cause in promise jobs, once it works at all', async () => {
    const { intake, budget, pass } = paced();
    intake.push(1);
    pass(5);
    expect(budget.isSpent()).toBe(true);
    await turn();
    await turn();
    expect(budget.isSpent()).toBe(false);
  });

  it('D10 ordinary messages with pauses in between never wait', () => {
    const { intake, order, pass } = paced();
    for (let count = 0; count < 50; count++) {
      intake.push(0.5);
      pass(1);
    }
    expect(order).toHaveLength(50);
  });

  it('P3 nothing waits while the clock stands still', () => {
    vi.useFakeTimers();
    try {
      let taken = 0;
      const intake = createIntake({ budget: new TurnBudget(), take: () => taken++, estimateMs: () => 100 });
      for (let count = 0; count < 10_000; count++) intake.push(count);
      expect(taken).toBe(10_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('D10 keeps the order, handles what waits when the wire fails, and drops it after an own close()', async () => {
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
