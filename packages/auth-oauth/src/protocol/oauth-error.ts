import { FittingsError, isRecord, type ErrorCode, type ErrorDetails } from '@mcp-fittings/client-core';
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { createSentSecrets, type SentSecrets } from './sent-secrets.js';

export interface OAuthErrorOptions {
  readonly server: string;
  /** Default `AUTH_FAILED`. */
  readonly code?: ErrorCode | undefined;
  readonly hint?: string | undefined;
  /** What was sent to the server, which may repeat it. Default: nothing. */
  readonly sentSecrets?: SentSecrets | undefined;
}

/**
 * Converts an error of oauth4webapi or the network into a `FittingsError`. The error code of the authorization server becomes
 * `details.oauthError`; its description is untrusted, so it is shortened, escaped and cleared of the secrets that were sent.
 * The library's error is not kept as `cause`, because it can hold the body of a token response.
 */
export function oauthError(cause: unknown, what: string, options: OAuthErrorOptions): FittingsError {
  const { server, code = 'AUTH_FAILED', hint, sentSecrets = createSentSecrets() } = options;
  if (cause instanceof FittingsError) return cause;
  if (cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError) {
    const error = sentSecrets.clean(cause.error, 80);
    const description =
      cause.error_description === undefined ? '' : ` (${sentSecrets.clean(cause.error_description, 200)})`;
    return new FittingsError(code, `${what}: ${error}${description}.`, {
      server,
      hint,
      details: {
        oauthError: error,
        status: 'status' in cause ? cause.status : undefined,
        ...stepUpOf(cause, sentSecrets),
      },
    });
  }
  if (cause instanceof WWWAuthenticateChallengeError) {
    const error = sentSecrets.clean(cause.cause[0]?.parameters.error ?? '', 80);
    return new FittingsError(
      code,
      `${what}: the client is not accepted${error === '' ? '' : ` (${error})`}.`,
      {
        server,
        hint,
        details: { oauthError: error === '' ? undefined : error, status: cause.status },
      },
    );
  }
  const text = cause instanceof Error ? cause.message : 'unknown error';
  return new FittingsError(code, `${what}: ${sentSecrets.clean(text, 1000)}.`, { server, hint });
}

/** Returns what the server requires of a new sign-in. @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
function stepUpOf(
  cause: ResponseBodyError | AuthorizationResponseError,
  sentSecrets: SentSecrets,
): ErrorDetails {
  if (!(cause instanceof ResponseBodyError) || cause.error !== 'insufficient_user_authentication') return {};
  const body: unknown = cause.cause;
  if (!isRecord(body)) return {};
  const { acr_values: acr, max_age: age } = body;
  return {
    acrValues: typeof acr === 'string' ? sentSecrets.clean(acr, 500) : undefined,
    maxAge: maxAgeOf(age),
  };
}

/** Parses seconds, from a number or its digits; undefined for anything else. */
export function maxAgeOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,9}$/.test(value))) return undefined;
  const seconds = Number(value);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

/**
 * Returns the OAuth error code with which an authorization server refused a request, such as `invalid_grant`; undefined for
 * other errors.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2
 */
export function oauthErrorCode(error: unknown): string | undefined {
  const code = error instanceof FittingsError ? error.details['oauthError'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
