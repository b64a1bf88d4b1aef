import type { Clock } from '@mcp-fittings/client-core/transport';

/** Notices when a connection is silent, at the price of one timer, not one for each thing that is heard. */
export interface SilenceWatch extends Disposable {
  /** Something came. */
  heard(): void;
}

/**
 * Calls `onSilence` once, when nothing was heard for `ms` milliseconds; never if that is 0. The timer does not keep the process
 * alive.
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
