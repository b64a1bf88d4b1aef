import { describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { DeliveryPolicy } from '@mcp-fittings/host';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { reaches } from './support/recorder.js';

/** In one process a call is with its server a turn of the event loop later, whatever engine it goes through. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls', () => {
  async function connected(delivery: DeliveryPolicy = 'reconnect') {
    const servers = testServers(calculator);
    const clock = createManualClock();
    const host = testHost([servers.plugin], { clock, random: () => 0, delivery });
    onTestFinished(() => host.close());
    await host.connect({ calc: { type: 'test' } });
    return { host, clock, servers };
  }

  it('delivery is unknown if the connection is lost during a call', async () => {
    const { host, servers } = await connected();
    const call = host.callTool({ server: 'calc', tool: 'slow' });
    const failure = expect(call).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'unknown',
      server: 'calc',
    });
    await turn();
    await servers.drop();
    await failure;
  });

  it('delivery is not-sent for a call that the policy none rejects without a connection', async () => {
    const { host, servers } = await connected('none');
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    await expect(host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 1 })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
    });
  });

  it('waits for the connection with the policy reconnect, and sends once', async () => {
    const { host, servers, clock } = await connected();
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    const sum = host.callTool({ server: 'calc', tool: 'add' }, { a: 4, b: 5 });
    await clock.advance(1000);
    expect((await sum).content).toEqual([{ type: 'text', text: '9' }]);
  });

  it('sends a read-only call again with the policy retry, and no other', async () => {
    const { host, servers, clock } = await connected('retry');
    const slow = host.callTool({ server: 'calc', tool: 'slow' });
    const failure = expect(slow).rejects.toMatchObject({ delivery: 'unknown' });
    await turn();
    const add = host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 2 });
    await servers.drop();
    await failure;
    await reaches(host, 'calc', 'pending');
    await clock.advance(1000);
    expect((await add).content).toEqual([{ type: 'text', text: '3' }]);
    expect(servers.created).toBe(2);
  });

  it('cancels with the signal, before and during', async () => {
    const { host } = await connected();
    await expect(
      host.callTool({ server: 'calc', tool: 'slow' }, {}, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    const controller = new AbortController();
    const call = host.callTool({ server: 'calc', tool: 'slow' }, {}, { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('stops waiting for a connection when the signal is aborted, or when the call times out', async () => {
    const { host, servers, clock } = await connected();
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    const caller = new AbortController();
    const ref = { server: 'calc', tool: 'add' };
    const cancelled = expect(
      host.callTool(ref, { a: 1, b: 1 }, { signal: caller.signal }),
    ).rejects.toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    const late = expect(host.callTool(ref, { a: 1, b: 1 }, { timeoutMs: 5 })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
    });
    caller.abort(new Error('enough'));
    await cancelled;
    await clock.advance(5);
    await late;
  });

  it('a deadline restarts with progress, up to the total limit', async () => {
    const clock = createManualClock();
    let progress: (() => Promise<void>) | undefined;
    const servers = testServers(() => {
      const calc = calculator();
      calc.server.registerTool('steps', {}, async ({ sendNotification, _meta }) => {
        let step = 0;
        progress = () =>
          sendNotification({
            method: 'notifications/progress',
            params: { progressToken: _meta?.progressToken ?? '', progress: ++step },
          });
        return new Promise(() => undefined);
      });
      return calc;
    });
    const limits = { callMs: 1000, callTotalMs: 2500 };
    await using host = testHost([servers.plugin], { clock, limits });
    await host.connect({ calc: { type: 'test' } });
    let outcome: unknown = 'open';
    host
      .callTool({ server: 'calc', tool: 'steps' }, {}, { onProgress: () => undefined })
      .catch((error: unknown) => (outcome = error));
    for (let step = 0; step < 3; step++) {
      await clock.advance(800);
      await progress?.();
      await clock.advance(0);
      expect(outcome).toBe('open');
    }
    await clock.advance(100);
    await clock.advance(0);
    expect(outcome).toMatchObject({ code: 'TIMEOUT' });
  });

  it('suggests similar names of tools and servers', async () => {
    const { host } = await connected();
    await expect(host.callTool({ server: 'calc', tool: 'Ad' })).rejects.toMatchObject({
      code: 'TOOL_UNKNOWN',
      delivery: 'not-sent',
      hint: 'Did you mean "add"?',
    });
    await expect(host.callTool({ server: 'clac', tool: 'add' })).rejects.toMatchObject({
      code: 'SERVER_UNKNOWN',
      hint: 'Did you mean "calc"?',
    });
  });

  it('reports a missing capability without asking the server', async () => {
    const { host } = await connected();
    await expect(host.getPrompt({ server: 'calc', prompt: 'any' })).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
      delivery: 'not-sent',
    });
  });

  it('a stopped server fails calls at once', async () => {
    const { host, servers } = await connected();
    await host.stop('calc');
    await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
      delivery: 'not-sent',
    });
    expect(servers.created).toBe(1);
    await host.close();
    await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
    });
  });
});
