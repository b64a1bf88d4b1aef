import type { Clock } from '@mcp-fittings/client-core';

/** Notices when nothing has happened for a while, at the price of one timer, not one for each thing that happens. */
export interface IdleWatch {
  start(): void;
  /** Something happened. */
  touch(): void;
  stop(): void;
}

export interface IdleWatchOptions {
  /** Milliseconds; 0 for never. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly onIdle: () => void;
}

export function createIdleWatch({ idleMs, clock, onIdle }: IdleWatchOptions): IdleWatch {
  let last = 0;
  let timer: Disposable | undefined;

  const wait = (ms: number): void => {
    timer = clock.schedule(
      () => {
        const left = last + idleMs - clock.now();
        if (left > 0) wait(left);
        else onIdle();
      },
      ms,
      { unref: true },
    );
  };

  return {
    start() {
      last = clock.now();
      if (idleMs > 0) wait(idleMs);
    },
    touch() {
      if (idleMs > 0) last = clock.now();
    },
    stop() {
      timer?.[Symbol.dispose]();
    },
  };
}
