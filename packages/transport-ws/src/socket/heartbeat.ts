import type { Clock } from '@mcp-fittings/client-core';
import type { WebSocketConnectionOptions } from './socket-options.js';

/** The part of a connection that the heartbeat uses. */
export interface Pulse {
  /** Number of bytes received so far, including those of incomplete messages. */
  bytesReceived(): number;
  /** Number of messages that the operating system has taken so far. */
  messagesFlushed(): number;
  ping(flushed: () => void): void;
}

/**
 * Distinguishes a dead peer from a quiet or busy one. Any byte from the peer counts as a sign of life. The timeout does not run
 * while the ping waits behind a message that the peer is still receiving.
 */
export function startHeartbeat(
  pulse: Pulse,
  options: Exclude<WebSocketConnectionOptions['heartbeat'], false | undefined>,
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
    // This process may have been suspended or busy; one turn of the event loop reads what has arrived.
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
