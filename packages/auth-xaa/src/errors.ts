import { oauthErrorCode } from '@mcp-fittings/auth-oauth/toolkit';
import {
  type AuthChallenge,
  AuthRequiredError,
  type ErrorCode,
  FittingsError,
} from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** The server that refused: `details.stage` of an error. */
type Stage = 'identity-provider' | 'authorization-server';

/** Gives a refusal of the identity provider its code; returns every other error unchanged. */
export function tokenExchangeError(error: unknown, server: string): unknown {
  if (oauthErrorCode(error) === 'access_denied') return policyDenied(error, server, 'identity-provider');
  return isRefusal(error) ? withCode(error, 'AUTH_EXCHANGE_FAILED', server, 'identity-provider') : error;
}

/** Gives a refusal of the server's authorization server its code; returns every other error unchanged. */
export function redemptionError(error: unknown, server: string): unknown {
  const reason = oauthErrorCode(error);
  if (reason === 'access_denied') return policyDenied(error, server, 'authorization-server');
  if (!isRefusal(error)) return error;
  if (reason === 'unsupported_grant_type') {
    return withCode(error, 'AUTH_DISCOVERY_FAILED', server, 'authorization-server', UNSUPPORTED);
  }
  const code = reason === 'invalid_grant' ? 'AUTH_REJECTED' : 'AUTH_FAILED';
  return withCode(error, code, server, 'authorization-server');
}

const UNSUPPORTED = { xaa: 'unsupported' };

/** The server's authorization server does not accept ID-JAGs. */
export function xaaUnsupported(server: string, message: string): FittingsError {
  return new FittingsError('AUTH_DISCOVERY_FAILED', message, {
    server,
    hint: 'Remove "xaa" from the entry of this server to sign in to it separately.',
    details: UNSUPPORTED,
  });
}

export function isXaaUnsupported(error: unknown): boolean {
  return error instanceof FittingsError && error.details['xaa'] === 'unsupported';
}

/** Reason why a sign-in is required, as far as it is known. */
export interface SignInReason {
  /** Challenge with which the server refused a request. */
  readonly challenge?: AuthChallenge | undefined;
  readonly details?: FittingsError['details'] | undefined;
  /** Error with which the identity provider refused to renew the sign-in. */
  readonly cause?: unknown;
}

/** The user must sign in. */
export function signInRequired(
  server: string,
  issuer: string,
  { challenge, details, cause }: SignInReason = {},
): AuthRequiredError {
  const demands = demandsOf(details);
  const what = demands === '' ? `you to sign in at ${issuer}` : `a new sign-in at ${issuer} (${demands})`;
  const why = cause instanceof FittingsError ? `: ${cause.message}` : '.';
  return new AuthRequiredError(`The server "${server}" requires ${what}${why}`, {
    server,
    challenge,
    details,
    cause,
    hint: 'Call host.signIn(), or signIn() of the provider. One sign-in serves every server.',
  });
}

/** Returns how someone who is signed in has to sign in again (RFC 9470); empty if that does not matter. */
function demandsOf({ acrValues, maxAge }: FittingsError['details'] = {}): string {
  return [
    ...(typeof acrValues === 'string' ? [`with "${sanitizeText(acrValues, { maxLength: 200 })}"`] : []),
    ...(typeof maxAge === 'number' ? [`at most ${maxAge} seconds old`] : []),
  ].join(', ');
}

/** The caller has aborted the sign-in. `host` is that of the identity provider. */
export function aborted(host: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in at ${host} was aborted.`, { server: host });
}

/** The company's policy forbids access. Signing in another way would circumvent it. */
function policyDenied(cause: unknown, server: string, stage: Stage): FittingsError {
  return new FittingsError(
    'POLICY_DENIED',
    `A policy of your company denies access to the server "${server}" from this program.`,
    {
      server,
      cause,
      kind: 'auth',
      hint: 'Ask your administrator for access.',
      details: { oauthError: 'access_denied', stage },
    },
  );
}

function withCode(
  cause: FittingsError,
  code: ErrorCode,
  server: string,
  stage: Stage,
  more: FittingsError['details'] = {},
): FittingsError {
  const details = { ...cause.details, ...more, stage };
  return new FittingsError(code, cause.message, { server, cause, hint: cause.hint, details });
}

/** A response that refuses, as opposed to a failure of the network. */
function isRefusal(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'AUTH_FAILED';
}
