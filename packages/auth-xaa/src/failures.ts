import { oauthErrorCode } from '@mcp-fittings/auth-oauth/toolkit';
import {
  AuthRequiredError,
  FittingsError,
  type AuthChallenge,
  type ErrorCode,
} from '@mcp-fittings/client-core';

/** Who refused. */
type Stage = 'identity-provider' | 'authorization-server';

/** A refusal of the identity provider; whatever is none passes through. */
export function exchangeFailure(error: unknown, server: string): unknown {
  if (oauthErrorCode(error) === 'access_denied') return denied(error, server, 'identity-provider');
  return isRefusal(error) ? restated(error, 'AUTH_EXCHANGE_FAILED', server, 'identity-provider') : error;
}

/** A refusal of the authorization server of an MCP server; whatever is none passes through. */
export function redemptionFailure(error: unknown, server: string): unknown {
  const reason = oauthErrorCode(error);
  if (reason === 'access_denied') return denied(error, server, 'authorization-server');
  if (!isRefusal(error)) return error;
  if (reason === 'unsupported_grant_type') {
    return restated(error, 'AUTH_DISCOVERY_FAILED', server, 'authorization-server', UNSUPPORTED);
  }
  const code = reason === 'invalid_grant' ? 'AUTH_REJECTED' : 'AUTH_FAILED';
  return restated(error, code, server, 'authorization-server');
}

const UNSUPPORTED = { xaa: 'unsupported' };

/** The authorization server says that it takes no assertions of an identity provider. */
export function unsupported(server: string, message: string): FittingsError {
  return new FittingsError('AUTH_DISCOVERY_FAILED', message, {
    server,
    hint: 'Sign in to this server in another way: take "xaa" out of its entry.',
    details: UNSUPPORTED,
  });
}

export function isUnsupported(error: unknown): boolean {
  return error instanceof FittingsError && error.details['xaa'] === 'unsupported';
}

/** A person has to sign in; for a refused request, with what the server said. */
export function signInRequired(
  server: string,
  issuer: string,
  challenge?: AuthChallenge,
  details?: FittingsError['details'],
): AuthRequiredError {
  return new AuthRequiredError(`"${server}" wants you to sign in at ${issuer}.`, {
    server,
    challenge,
    details,
    hint: 'Call host.signIn(), or signIn() of the provider; one sign-in serves every server.',
  });
}

/** A policy of the company: asking anybody else would be a way around it. */
function denied(cause: unknown, server: string, stage: Stage): FittingsError {
  return new FittingsError('POLICY_DENIED', `A policy does not let you use "${server}" from here.`, {
    server,
    cause,
    kind: 'auth',
    hint: 'Ask your administrator for access.',
    details: { oauthError: 'access_denied', stage },
  });
}

function restated(
  cause: FittingsError,
  code: ErrorCode,
  server: string,
  stage: Stage,
  more: FittingsError['details'] = {},
): FittingsError {
  const details = { ...cause.details, ...more, stage };
  return new FittingsError(code, cause.message, { server, cause, hint: cause.hint, details });
}

/** An answer that says no, and no failure on the way. */
function isRefusal(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'AUTH_FAILED';
}
