import { FittingsError, isRecord, type ErrorCode, type ErrorDetails } from '@mcp-fittings/client-core';
import { createToldSecrets, type ToldSecrets } from './told-secrets.js';
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';

export interface FailureOptions {
  readonly server: string;
  /** Default `AUTH_FAILED`. */
  readonly code?: ErrorCode | undefined;
  readonly hint?: string | undefined;
  /** What the peer was told: it may say it back. Default: nothing. */
  readonly told?: ToldSecrets | undefined;
}

/**
 * What oauth4webapi or the network threw, as ours. The error code of the authorization server is kept in
 * `details.oauthError`; its description is a stranger's text: cut, cleaned, and without the secrets that it was told. The library's own error is not kept as
 * `cause`: it can hold the body of a token response.
 */
export function oauthFailure(cause: unknown, what: string, options: FailureOptions): FittingsError {
  const { server, code = 'AUTH_FAILED', hint, told = createToldSecrets() } = options;
  if (cause instanceof FittingsError) return cause;
  if (cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError) {
    const error = told.clean(cause.error, 80);
    const description =
      cause.error_description === undefined ? '' : ` (${told.clean(cause.error_description, 200)})`;
    return new FittingsError(code, `${what}: ${error}${description}.`, {
      server,
      hint,
      details: {
        oauthError: error,
        status: 'status' in cause ? cause.status : undefined,
        ...stepUpOf(cause, told),
      },
    });
  }
  if (cause instanceof WWWAuthenticateChallengeError) {
    const error = told.clean(cause.cause[0]?.parameters.error ?? '', 80);
    return new FittingsError(code, `${what}: the client was refused${error === '' ? '' : ` (${error})`}.`, {
      server,
      hint,
      details: { oauthError: error === '' ? undefined : error, status: cause.status },
    });
  }
  const text = cause instanceof Error ? cause.message : 'unknown failure';
  return new FittingsError(code, `${what}: ${told.clean(text, 1000)}.`, { server, hint });
}

/** What a new sign-in has to be like. @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
function stepUpOf(cause: ResponseBodyError | AuthorizationResponseError, told: ToldSecrets): ErrorDetails {
  if (!(cause instanceof ResponseBodyError) || cause.error !== 'insufficient_user_authentication') return {};
  const body: unknown = cause.cause;
  if (!isRecord(body)) return {};
  const { acr_values: acr, max_age: age } = body;
  return {
    acrValues: typeof acr === 'string' ? told.clean(acr, 500) : undefined,
    maxAge: maxAgeOf(age),
  };
}

/** Seconds, as a number or in digits; undefined for anything else. */
export function maxAgeOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,9}$/.test(value))) return undefined;
  const seconds = Number(value);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

/** The error code of the authorization server, when it was one that refused. */
export function oauthErrorOf(error: unknown): string | undefined {
  const code = error instanceof FittingsError ? error.details['oauthError'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
