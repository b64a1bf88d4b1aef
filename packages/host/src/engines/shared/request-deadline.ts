import { systemClock, type Clock } from '@mcp-fittings/client-core';
import type { Progress } from '../../contracts/content.js';
import type { EngineRequestOptions } from '../../contracts/engine.js';

/** The longest delay that a timer of Node can have. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Options of a request that both SDKs know. */
export interface SdkRequestOptions {
  readonly timeout: number;
  readonly maxTotalTimeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/** What one request is sent with. Dispose of it when the request has settled. */
export interface RequestDeadline extends Disposable {
  /** What the SDK is given; it cancels the request when the caller gives up or a deadline has passed. */
  readonly sdkOptions: SdkRequestOptions;
  /** A deadline has passed, and not the caller given up. */
  readonly passed: boolean;
}

/**
 * The deadlines of one request by the host's clock: `timeoutMs` without an answer or progress, `maxTotalMs` in all. The
 * timers of the SDKs are those of Node, so that they serve where the host has no clock of its own and the caller no signal:
 * a signal for each request costs as much as the rest of the call.
 */
export function createRequestDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
  const { signal, timeoutMs, maxTotalMs, onProgress } = options;
  if (clock !== systemClock || signal !== undefined) return createOwnDeadline(clock, options);
  return {
    sdkOptions: {
      timeout: Math.min(timeoutMs, LONGEST_TIMER_MS),
      ...(maxTotalMs !== undefined && { maxTotalTimeout: maxTotalMs }),
      ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
    },
    passed: false,
    [Symbol.dispose]() {},
  };
}

/**
 * By a signal of its own, which lives no longer than the request: the SDKs never take their listener off a signal, so that
 * on one that lives longer each finished request would leave a listener behind, and a later abort would cancel requests
 * that were answered long ago.
 */
function createOwnDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
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
  const onprogress = (progress: Progress): void => {
    silence[Symbol.dispose]();
    if (!controller.signal.aborted) silence = clock.schedule(pass(timeoutMs), timeoutMs);
    onProgress?.(progress);
  };
  return {
    sdkOptions: {
      // The deadline here is the one that counts.
      timeout: LONGEST_TIMER_MS,
      signal: controller.signal,
      ...(onProgress !== undefined && { onprogress }),
    },
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
