import { oauthErrorCode } from '@mcp-fittings/auth-oauth/toolkit';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { signInRequired } from '../errors.js';
import type { Subject } from './shared-sign-in.js';

/** @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
export const STEP_UP_ERROR = 'insufficient_user_authentication';

/**
 * The authentication that a server requires of a sign-in.
 * @see https://www.rfc-editor.org/rfc/rfc9470.html
 */
export interface StepUp {
  /** Required authentication context classes, separated by spaces (`acr_values`); undefined when any will do. */
  readonly acrValues?: string | undefined;
  /** Longest time since the user authenticated, in seconds (`max_age`); undefined when any will do. */
  readonly maxAge?: number | undefined;
}

/** A server's request for a stronger sign-in. */
export interface StepUpRequest extends StepUp {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** Time when the rejected token was obtained, in milliseconds since the epoch. Default: after every sign-in so far. */
  readonly since?: number | undefined;
  /** The sign-in that is not strong enough. */
  readonly subject: Subject;
}

/** Remembers which stronger sign-in was requested, and which one was completed. */
export class StepUps {
  readonly #issuer: string;
  readonly #clock: Clock;
  #pending: (StepUp & { readonly of: Subject }) | undefined;
  #completed: (StepUp & { readonly at: number }) | undefined;

  constructor(issuer: string, clock: Clock) {
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** Requirement for the next sign-in; undefined without one. */
  get pending(): StepUp | undefined {
    return this.#pending;
  }

  /** Returns whether this sign-in is the one that is not strong enough. The host replaces its token when it signs the user in again. */
  isPendingFor({ sessionId, token, record }: Subject): boolean {
    const of = this.#pending?.of;
    return of?.sessionId === sessionId && (record !== undefined || of.token === token);
  }

  /**
   * Returns the error to throw, or undefined when the user has signed in that way after `since`, so that a retry will succeed.
   * When that sign-in was not enough, the error says so instead of asking the user for the same again.
   */
  require({
    server,
    since = Number.POSITIVE_INFINITY,
    acrValues,
    maxAge,
    subject,
  }: StepUpRequest): FittingsError | undefined {
    const stepUp = { acrValues, maxAge };
    const completed = this.#completed;
    if (completed !== undefined && this.#isCompleted(stepUp)) {
      return since < completed.at ? undefined : notStrongEnough(server, this.#issuer);
    }
    this.#pending = { ...stepUp, of: subject };
    return signInRequired(server, this.#issuer, { details: { acrValues, maxAge } });
  }

  /** The user has signed in as required. */
  complete(): void {
    this.#completed = this.#pending && { ...this.#pending, at: this.#clock.now() };
    this.#pending = undefined;
  }

  forget(): void {
    this.#pending = undefined;
    this.#completed = undefined;
  }

  /** Returns whether the last sign-in satisfied this requirement, and is recent enough. */
  #isCompleted({ acrValues, maxAge }: StepUp): boolean {
    const completed = this.#completed;
    return (
      completed !== undefined &&
      completed.acrValues === acrValues &&
      completed.maxAge === maxAge &&
      (maxAge === undefined || this.#clock.now() - completed.at <= maxAge * 1000 + AGE_MARGIN_MS)
    );
  }
}

/** Without it, `maxAge: 0` could never be satisfied. */
const AGE_MARGIN_MS = 30_000;

function notStrongEnough(server: string, issuer: string): FittingsError {
  return new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `The server "${server}" requires a stronger sign-in than ${issuer} provides.`,
    {
      server,
      delivery: 'rejected',
      hint: 'Ask your administrator how to sign in to this server.',
      details: { oauthError: STEP_UP_ERROR, stage: 'identity-provider' },
    },
  );
}

/** The stronger sign-in that an error requires; undefined for other errors. */
export function stepUpIn(error: unknown): StepUp | undefined {
  if (!(error instanceof FittingsError) || oauthErrorCode(error) !== STEP_UP_ERROR) return undefined;
  const { acrValues, maxAge } = error.details;
  return {
    acrValues: typeof acrValues === 'string' ? acrValues : undefined,
    maxAge: typeof maxAge === 'number' ? maxAge : undefined,
  };
}
