import { ERROR_BRAND, isErrorOf } from './brand.js';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from './codes.js';

/**
 * How far a failed request got. `not-sent`: the peer never saw it. `rejected`: the peer refused it before doing
 * anything. `unknown`: it may have been carried out.
 */
export type Delivery = 'not-sent' | 'rejected' | 'unknown';

/** Facts that a program may act on: HTTP status, exit code, command …; never a secret. */
export interface ErrorDetails {
  readonly [fact: string]: string | number | boolean | undefined;
}

export interface FittingsErrorOptions {
  readonly cause?: unknown;
  /** What the reader can do about it, as one sentence. */
  readonly hint?: string | undefined;
  /** Name of the server that it is about. */
  readonly server?: string | undefined;
  /** For a failed request only. */
  readonly delivery?: Delivery | undefined;
  /** Where this occurrence differs from what its code says in general. */
  readonly kind?: ErrorKind | undefined;
  readonly retryable?: boolean | undefined;
  readonly details?: ErrorDetails | undefined;
}

/**
 * Every error that these packages throw on purpose. Act on `code`; `message` is for people and may change.
 * `instanceof` works across several installed copies of core.
 */
export class FittingsError extends Error {
  override readonly name: string = 'FittingsError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** Whether the same attempt may succeed later with nothing changed. */
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly server: string | undefined;
  readonly delivery: Delivery | undefined;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: FittingsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = options.kind ?? ERROR_CODES[code].kind;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.hint = options.hint;
    this.server = options.server;
    this.delivery = options.delivery;
    this.details = options.details ?? {};
  }

  get [ERROR_BRAND](): readonly string[] {
    return ['FittingsError'];
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, FittingsError, 'FittingsError', value);
  }
}
