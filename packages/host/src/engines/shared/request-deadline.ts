import { linkSignal, systemClock } from '@mcp-fittings/client-core/timing';
import type { Clock } from '@mcp-fittings/client-core';
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

/** What one request is sent with. */
export interface RequestDeadline {
  /** What the SDK is given; it cancels the request when the caller gives up or a deadline has passed. */
  readonly sdkOptions: SdkRequestOptions;
  /** A deadline has passed, and not the caller given up. */
  readonly passed: boolean;
  /** The request has settled. */
  end(): void;
}

/**
 * The deadlines of one request by the host's clock: `timeoutMs` without an answer or progress, `maxTotalMs` in all. The
 * timers of the SDKs are those of Node, so that they serve where the host has no clock of its own and the caller no signal:
 * a signal for each request costs as much as the rest of the call.
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

/** By a signal of its own, which lives no longer than the request: SDK v1 never takes its listener off a signal. */
function createOwnDeadline(clock: Clock, options: EngineRequestOptions): RequestDeadline {
  const { signal, timeoutMs, maxTotalMs, onProgress } = options;
  const own = linkSignal(signal);
  let passed = false;
  const pass = (ms: number) => (): void => {
    passed = true;
    own.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError'));
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
      // The deadline here is the one that counts.
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
