import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { startHeartbeat, type Pulse } from '../src/socket/heartbeat.js';
import { startedClient } from './support/clients.js';
import { frame, OPCODE, startRawServer } from './support/raw-server.js';

interface FakePulse extends Pulse {
  received: number;
  flushed: number;
  readonly pings: (() => void)[];
}

/** Time is not provoked with sockets. */
function beating(options = { intervalMs: 1000, timeoutMs: 300 }) {
  const clock = createManualClock();
  const dead: number[] = [];
  const pulse: FakePulse = {
    received: 0,
    flushed: 0,
    pings: [],
    bytesReceived: () => pulse.received,
    messagesFlushed: () => pulse.flushed,
    ping: (flushed) => void pulse.pings.push(flushed),
  };
  const heartbeat = startHeartbeat(pulse, options, clock, (silentMs) => dead.push(silentMs));
  return { clock, pulse, dead, heartbeat };
}

describe('the heartbeat', () => {
  it('pings a quiet peer and lives on with whatever it sends', async () => {
    const { clock, pulse, dead } = beating();
    for (let round = 1; round <= 5; round++) {
      await clock.advance(1000);
      expect(pulse.pings).toHaveLength(round);
      pulse.pings.at(-1)?.();
      pulse.received += 2;
      await clock.advance(300);
    }
    expect(dead).toEqual([]);
  });

  it('does not ping a peer that sends', async () => {
    const { clock, pulse } = beating();
    for (let round = 0; round < 20; round++) {
      pulse.received += 1;
      await clock.advance(900);
    }
    expect(pulse.pings).toHaveLength(0);
  });

  it('calls a peer dead that gets a ping and sends nothing, once', async () => {
    const { clock, pulse, dead } = beating();
    await clock.advance(1000);
    pulse.pings[0]?.();
    await clock.advance(299);
    expect(dead).toEqual([]);
    await clock.advance(1);
    expect(dead).toEqual([1300]);
    await clock.advance(10_000);
    expect(dead).toHaveLength(1);
  });

  it('waits while the ping stands behind a message that the peer is taking', async () => {
    const { clock, pulse, dead } = beating();
    await clock.advance(1000);
    for (let round = 0; round < 10; round++) {
      pulse.flushed += 1;
      await clock.advance(300);
    }
    expect(dead).toEqual([]);
    // Now it is out: the time begins anew.
    await clock.advance(100);
    pulse.pings[0]?.();
    await clock.advance(299);
    expect(dead).toEqual([]);
    await clock.advance(1);
    expect(dead).toHaveLength(1);
  });

  it('calls a peer dead that neither sends nor takes anything', async () => {
    const { clock, dead } = beating();
    await clock.advance(1300);
    expect(dead).toHaveLength(1);
  });

  it('does not mistake its own suspension for a dead peer', async () => {
    const { clock, pulse, dead } = beating();
    await clock.advance(1000);
    pulse.pings[0]?.();
    // The answer is in the socket, but when the process wakes the timer runs before the socket is read.
    await clock.advance(299);
    setImmediate(() => setImmediate(() => (pulse.received += 2)));
    await clock.advance(1);
    expect(dead).toEqual([]);
  });

  it('stops', async () => {
    const { clock, heartbeat, dead } = beating();
    heartbeat[Symbol.dispose]();
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
    expect(dead).toEqual([]);
  });
});

describe('a dead peer', () => {
  it('is found on a real socket: every request fails at once, and the socket is gone', async () => {
    await using raw = await startRawServer();
    const clock = createManualClock();
    // The close frame of a dead peer is not awaited.
    const recorder = await startedClient(raw.url, { clock, closeTimeoutMs: 60_000 });
    const peer = await raw.connection();
    const request = failureOf(recorder.request(1));
    await peer.nextFrame();
    const gone = new Promise((resolve) => peer.socket.once('close', resolve));
    await clock.advance(30_000);
    expect((await peer.nextFrame()).opcode).toBe(OPCODE.ping);
    await clock.advance(30_000);
    expect(await request).toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'unknown',
      details: { silentMs: 60_000 },
    });
    await gone;
    await recorder.closed;
    expect(recorder.transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
    expect(clock.pending).toBe(0);
  });

  it('a part of a message is a sign of life', async () => {
    await using raw = await startRawServer();
    const clock = createManualClock();
    const recorder = await startedClient(raw.url, { clock });
    await using _ = recorder.transport;
    const peer = await raw.connection();
    peer.socket.write(frame('', { announced: 1_000_000n }));
    for (let round = 0; round < 5; round++) {
      // Acknowledged by the kernel before the time passes.
      await new Promise<void>((resolve) => peer.socket.write(Buffer.alloc(1000, ' '), () => resolve()));
      await clock.advance(30_000);
    }
    expect(recorder.transport.closeReason).toBeUndefined();
  });

  it.each([
    ['ends with the connection', {}, 1],
    ['can be off', false, 0],
  ] as const)('the heartbeat %s', async (_, heartbeat, timers) => {
    await using raw = await startRawServer();
    const clock = createManualClock();
    const { transport } = await startedClient(raw.url, { clock, heartbeat });
    expect(clock.pending).toBe(timers);
    await transport.close();
    expect(clock.pending).toBe(0);
  });
});
