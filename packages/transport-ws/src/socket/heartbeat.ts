import type { Clock } from '@mcp-fittings/client-core/transport';

export interface HeartbeatOptions {
  /** After this long without a byte from the peer it is sent a ping. Milliseconds, default 30 000. */
  readonly intervalMs?: number | undefined;
  /** How long the peer then has to send anything at all. Milliseconds, default 30 000. */
  readonly timeoutMs?: number | undefined;
}

/** What the heartbeat sees of a connection. */
export interface Pulse {
  /** Grows with everything that comes in, also with the parts of a message that is not complete yet. */
  bytesReceived(): number;
  /** Grows with each message that left this machine. */
  messagesFlushed(): number;
  ping(flushed: () => void): void;
}

/**
 * Tells a dead peer from a quiet or a busy one. Any byte from it is a sign of life. While our ping still waits behind
 * a message that the peer is taking, the time does not run.
 */
export function startHeartbeat(
  pulse: Pulse,
  options: HeartbeatOptions,
  clock: Clock,
  onDead: (silentMs: number) => void,
): Disposable {
  const { intervalMs = 30_000, timeoutMs = 30_000 } = options;
  let stopped = false;
  let timer: Disposable | undefined;
  let received = pulse.bytesReceived();
  let flushed = pulse.messagesFlushed();
  let heardAt = clock.now();
  let pings = 0;
  let pingIsOut = false;

  const after = (ms: number, task: () => void): void => {
    timer?.[Symbol.dispose]();
    timer = clock.schedule(task, ms, { unref: true });
  };
  const heard = (): boolean => {
    const now = pulse.bytesReceived();
    if (now === received) return false;
    received = now;
    heardAt = clock.now();
    return true;
  };
  const peerTakesData = (): boolean => {
    const now = pulse.messagesFlushed();
    const more = now !== flushed;
    flushed = now;
    return more;
  };

  const beat = (): void => {
    if (heard()) return after(intervalMs, beat);
    const ping = ++pings;
    pingIsOut = false;
    peerTakesData();
    after(timeoutMs, check);
    pulse.ping(() => {
      if (stopped || ping !== pings) return;
      pingIsOut = true;
      after(timeoutMs, check);
    });
  };
  const check = (): void => {
    // This process may have slept or been busy: one turn of the loop reads what came in meanwhile.
    setImmediate(() => {
      if (stopped) return;
      if (heard()) after(intervalMs, beat);
      else if (!pingIsOut && peerTakesData()) after(timeoutMs, check);
      else onDead(clock.now() - heardAt);
    });
  };

  after(intervalMs, beat);
  return {
    [Symbol.dispose]() {
      stopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}
