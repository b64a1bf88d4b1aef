import type { Clock } from '@mcp-fittings/client-core';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import type { Progress } from '@mcp-fittings/host';
import type { EngineRequestOptions } from '@mcp-fittings/host/engine';

/** Longest delay of a Node.js timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Request options that both SDKs have. */
export interface SdkRequestOptions {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/** The deadlines of one request, by the host's clock: `timeoutMs` without a response or progress, `maxTotalMs` in all. */
export class RequestDeadline implements Disposable {
  /** Options for the SDK, which cancels the request when the caller aborts it or a deadline passes. */
  readonly sdkOptions: SdkRequestOptions;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** A signal that lives only as long as the request, because SDK v1 never removes its listener from a signal. */
  readonly #own: ReturnType<typeof linkSignal>;
  readonly #total: Disposable | undefined;
  #silence: Disposable;
  #hasPassed = false;

  constructor(clock: Clock, { signal, timeoutMs, maxTotalMs, onProgress }: EngineRequestOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#own = linkSignal(signal);
    this.#silence = this.#schedule(timeoutMs);
    this.#total = maxTotalMs === undefined ? undefined : this.#schedule(maxTotalMs);
    const onprogress = (progress: Progress): void => {
      this.#restart();
      onProgress?.(progress);
    };
    this.sdkOptions = {
      // The deadline is enforced here instead.
      timeout: LONGEST_TIMER_MS,
      signal: this.#own.signal,
      ...(onProgress !== undefined && { onprogress }),
    };
  }

  /** True if a deadline has passed. False also if the caller has aborted the request. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** Stops the deadlines. Call it when the request has settled. */
  [Symbol.dispose](): void {
    this.#silence[Symbol.dispose]();
    this.#total?.[Symbol.dispose]();
    this.#own[Symbol.dispose]();
  }

  #schedule(ms: number): Disposable {
    return this.#clock.schedule(() => {
      this.#hasPassed = true;
      this.#own.abort(new DOMException(`The deadline of ${ms} ms has passed.`, 'TimeoutError'));
    }, ms);
  }

  #restart(): void {
    this.#silence[Symbol.dispose]();
    if (!this.#own.signal.aborted) this.#silence = this.#schedule(this.#timeoutMs);
  }
}
