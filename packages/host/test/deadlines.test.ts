import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createHost, type CallOptions, type HostLimits } from '@mcp-fittings/host';
import { calculator, identity } from './support/calculator.js';
import { testServers } from './support/in-process.js';

describe('deadlines by the clock of the host', () => {
  async function connected(limits: Partial<HostLimits> = {}, entry: Record<string, unknown> = {}) {
    const clock = createManualClock();
    const calc = calculator();
    let progress: (() => Promise<void>) | undefined;
    calc.server.registerTool('steps', {}, async ({ sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken;
      let step = 0;
      if (progressToken !== undefined)
        progress = () =>
          sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress: ++step },
          });
      return new Promise(() => undefined);
    });
    calc.server.registerResource('slow', 'x:slow', {}, () => new Promise(() => undefined));
    calc.server.registerPrompt('slow', {}, () => new Promise(() => undefined));
    const host = createHost({
      ...identity,
      transports: [testServers(() => calc).plugin],
      clock,
      limits,
    });
    await host.connect({ calc: { type: 'test', ...entry } });
    const outcomes: string[] = [];
    const watch = (work: Promise<unknown>): void =>
      void work.then(
        () => outcomes.push('done'),
        (error: { code: string }) => outcomes.push(error.code),
      );
    const call = (tool: string, options?: CallOptions): void =>
      watch(host.callTool({ server: 'calc', tool }, {}, options));
    return { host, clock, outcomes, watch, call, step: () => progress?.() };
  }
  const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

  it('of a call follow the clock of the host only', async () => {
    const { host, clock, outcomes, call } = await connected();
    call('slow', { timeoutMs: 5 });
    await soon();
    expect(outcomes).toEqual([]);
    await clock.advance(4);
    expect(outcomes).toEqual([]);
    await clock.advance(1);
    await clock.advance(0);
    expect(outcomes).toEqual(['TIMEOUT']);
    expect(clock.pending).toBe(0);
    await host.close();
  });

  it('of a call restart with progress, up to the total limit', async () => {
    const { host, clock, outcomes, call, step } = await connected({ callMs: 1000, callTotalMs: 2500 });
    call('steps', { onProgress: () => undefined });
    for (let i = 0; i < 3; i++) {
      await clock.advance(800);
      await step();
      await clock.advance(0);
      expect(outcomes).toEqual([]);
    }
    await clock.advance(100);
    await clock.advance(0);
    expect(outcomes).toEqual(['TIMEOUT']);
    await host.close();
  });

  it('an abort by the caller is reported as an abort, and leaves no timer', async () => {
    const { host, clock, outcomes, call } = await connected();
    const given = new AbortController();
    call('slow', { signal: given.signal });
    await clock.advance(10);
    given.abort();
    await clock.advance(0);
    expect(outcomes).toEqual(['ABORTED']);
    expect(clock.pending).toBe(0);
    await host.close();
  });
});
