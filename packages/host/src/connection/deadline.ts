import type { Clock } from '@mcp-fittings/client-core';

/** A signal that is aborted by a parent, or when its time is over. Dispose of it when the work is done. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True when time, not the parent, aborted it. */
  readonly passed: boolean;
}

export function createDeadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = clock.schedule(() => {
    passed = true;
    controller.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError'));
  }, ms);
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      parent?.removeEventListener('abort', onAbort);
    },
  };
}
