import { linkSignal, systemClock } from '@mcp-fittings/client-core/timing';
import type { Clock } from '@mcp-fittings/client-core';
import type { Progress } from '../../contracts/content.js';
import type { EngineRequestOptions } from '../../contracts/engine.js';

/** Longest delay of a Node.js timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Request options that both SDKs have. */
export interface SdkRequestOptions {
  readonly timeout: number;
  readonly maxTotalTimeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/** The deadline of one request. */
export interface RequestDeadline {
  /** Options for the SDK, which cancels the request when the caller aborts it or a deadline passes. */
  readonly sdkOptions: SdkRequestOptions;
  /** Whether a deadline has passed, as opposed to the caller having aborted the request. */
  readonly passed: boolean;
  /** Call it when the request has settled. */
  end(): void;
}

/**
 * Creates the deadlines of one request, by the host's clock: `timeoutMs` without a response or progress, `maxTotalMs` in all.
 * Uses the timers of the SDK if the clock is the system's and there is no signal, because a signal per request costs as much
 * as the rest of the call.
 */
export function createRequestDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
  if (clock !== systemClock || options.signal !== undefined) return createOwnDeadline(clock, options);
  return { sdkOptions: sdkOptionsOf(options), passed: false, end: doNothing };
}

const doNothing = (): void => undefined;

function sdkOptionsOf({ timeoutMs, maxTotalMs, onProgress }: EngineRequestOptions): SdkRequestOptions {
  return {
    timeout: Math.min(timeoutMs, LONGEST_TIMER_MS),
    ...(maxTotalMs !== undefined && { maxTotalTimeout: maxTotalMs }),
    ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
  };
}

/** Uses a signal that lives only as long as the request, because SDK v1 never removes its listener from a signal. */
function createOwnDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
  const { signal, timeoutMs, maxTotalMs, onProgress } = options;
  const own = linkSignal(signal);
  let passed = false;
  const pass = (ms: number) => (): void => {
    passed = true;
    own.abort(new DOMException(`The deadline of ${ms} ms has passed.`, 'TimeoutError'));
  };
  let silence = clock.schedule(pass(timeoutMs), timeoutMs);
  const total = maxTotalMs === undefined ? undefined : clock.schedule(pass(maxTotalMs), maxTotalMs);
  const onprogress = (progress: Progress): void => {
    silence[Symbol.dispose]();
    if (!own.signal.aborted) silence = clock.schedule(pass(timeoutMs), timeoutMs);
    onProgress?.(progress);
  };
  return {
    sdkOptions: {
      // The deadline is enforced here instead.
      timeout: LONGEST_TIMER_MS,
      signal: own.signal,
      ...(onProgress !== undefined && { onprogress }),
    },
    get passed() {
      return passed;
    },
    end() {
      silence[Symbol.dispose]();
      total?.[Symbol.dispose]();
      own[Symbol.dispose]();
    },
  };
}
