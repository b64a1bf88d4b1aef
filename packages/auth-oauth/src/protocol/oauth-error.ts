import { FittingsError } from '@mcp-fittings/client-core';
import { AuthorizationResponseError } from 'oauth4webapi';
import type { SentSecrets } from './endpoint.js';

/**
 * Converts an error of oauth4webapi or the network into a `FittingsError`. The error code of the authorization server becomes
 * `details.oauthError`; its description is untrusted, so it is shortened, escaped and cleared of the secrets that were sent.
 * The library's error is not kept as `cause`, because it can hold the body of a token response.
 */
export function oauthError(
  cause: unknown,
  what: string,
  { server, sentSecrets }: { readonly server: string; readonly sentSecrets: SentSecrets },
): FittingsError {
  if (cause instanceof FittingsError) return cause;
  if (cause instanceof AuthorizationResponseError) {
    const error = sentSecrets.clean(cause.error, 80);
    const description =
      cause.error_description === undefined ? '' : ` (${sentSecrets.clean(cause.error_description, 200)})`;
    return new FittingsError('AUTH_FAILED', `${what}: ${error}${description}.`, {
      server,
      details: { oauthError: error },
    });
  }
  const text = cause instanceof Error ? cause.message : 'unknown error';
  return new FittingsError('AUTH_FAILED', `${what}: ${sentSecrets.clean(text, 1000)}.`, { server });
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
