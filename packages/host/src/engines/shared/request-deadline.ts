import type { Clock } from '@mcp-fittings/client-core';
import type { Progress } from '../../contracts/content.js';
import type { EngineRequestOptions } from '../../contracts/engine.js';

/** The longest delay that a timer of Node can have: the deadline here is the one that counts. Milliseconds. */
export const NO_SDK_TIMEOUT = 2 ** 31 - 1;

/** What one request is sent with. Dispose of it when the request has settled. */
export interface RequestDeadline extends Disposable {
  /** Aborted by the caller, or when a deadline has passed. It lives no longer than the request. */
  readonly signal: AbortSignal;
  /** Give it to the SDK as `onprogress`: it starts the time without progress anew. Absent when the caller wants none. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** A deadline has passed, and not the caller given up. */
  readonly passed: boolean;
}

/**
 * The deadlines of one request by the host's clock: `timeoutMs` without an answer or progress, `maxTotalMs` in all. The
 * SDKs know the timers of Node alone. They also never take their listener off a signal: on one that lives longer, each
 * finished request would leave a listener behind, and a later abort would cancel requests that were answered long ago.
 */
export function createRequestDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
  const { signal: given, timeoutMs, maxTotalMs, onProgress } = options;
  const controller = new AbortController();
  let passed = false;
  const pass = (ms: number) => (): void => {
    passed = true;
    controller.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError'));
  };
  let silence = clock.schedule(pass(timeoutMs), timeoutMs);
  const total = maxTotalMs === undefined ? undefined : clock.schedule(pass(maxTotalMs), maxTotalMs);
  const follow = (): void => controller.abort(given?.reason);
  if (given?.aborted === true) follow();
  else given?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    onProgress:
      onProgress &&
      ((progress) => {
        silence[Symbol.dispose]();
        if (!controller.signal.aborted) silence = clock.schedule(pass(timeoutMs), timeoutMs);
        onProgress(progress);
      }),
    get passed() {
      return passed;
    },
    [Symbol.dispose]() {
      silence[Symbol.dispose]();
      total?.[Symbol.dispose]();
      given?.removeEventListener('abort', follow);
    },
  };
}
