import type { Clock } from '@mcp-fittings/client-core';

/** Runs `onIdle` when nothing was busy for `ms`; 0 turns it off. */
export interface IdleTimer extends Disposable {
  /** Something begins (1) or ends (-1). */
  busy(delta: 1 | -1): void;
  /** Starts counting, when nothing is busy. */
  arm(): void;
}

export function createIdleTimer(clock: Clock, ms: number, onIdle: () => void): IdleTimer {
  let active = 0;
  let timer: Disposable | undefined;
  const disarm = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
  };
  const arm = (): void => {
    disarm();
    if (ms > 0 && active === 0) timer = clock.schedule(onIdle, ms, { unref: true });
  };
  return {
    busy(delta) {
      active += delta;
      if (active === 0) arm();
      else disarm();
    },
    arm,
    [Symbol.dispose]: disarm,
  };
}
