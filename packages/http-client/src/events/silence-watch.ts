import type { Clock } from '@mcp-fittings/client-core/transport';

/** Detects that a connection has gone silent. It uses one timer, however much is received. Disposing it stops the timer. */
export interface SilenceWatch extends Disposable {
  /** Call it when something is received. */
  heard(): void;
}

/**
 * Calls `onSilence` once, when nothing has been received for `ms` milliseconds; never if `ms` is 0. The timer does not keep the
 * process alive.
 */
export function watchSilence(clock: Clock, ms: number, onSilence: () => void): SilenceWatch {
  if (ms === 0) return DEAF;
  let last = clock.now();
  let timer: Disposable | undefined;
  const listen = (left: number): void => {
    timer = clock.schedule(
      () => {
        const rest = last + ms - clock.now();
        if (rest > 0) listen(rest);
        else onSilence();
      },
      left,
      { unref: true },
    );
  };
  listen(ms);
  return {
    heard() {
      last = clock.now();
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

const DEAF: SilenceWatch = { heard: () => undefined, [Symbol.dispose]: () => undefined };
