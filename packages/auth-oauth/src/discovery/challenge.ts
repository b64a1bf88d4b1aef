import type { AuthChallenge } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import { maxAgeOf, parseScopes } from '../protocol/values.js';

/** The parameters of a `WWW-Authenticate` challenge that matter to a sign-in. Untrusted. */
export interface OAuthChallenge {
  /** URL of the protected resource metadata (`resource_metadata`). */
  readonly resourceMetadata: string | undefined;
  /** Scopes that the request needs (`scope`). */
  readonly scopes: readonly string[] | undefined;
  /** The error code, such as `insufficient_scope`, `invalid_token` or `use_dpop_nonce`. */
  readonly error: string | undefined;
  /**
   * Whether the server accepts DPoP-bound tokens only.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html#name-the-dpop-authentication-sch
   */
  readonly dpopOnly: boolean;
  /** How the person must have authenticated (`acr_values`). @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
  readonly acrValues: string | undefined;
  /** How long ago that may have been, in seconds (`max_age`). */
  readonly maxAge: number | undefined;
}

/**
 * Parses the `Bearer` or `DPoP` challenge of a refusal. All members are undefined or false without one.
 * @example
 * ```ts
 * const { error, scopes } = parseOAuthChallenge(challenge);
 * if (error === 'insufficient_scope') console.log(scopes);
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-3
 */
export function parseOAuthChallenge(challenge: AuthChallenge | undefined): OAuthChallenge {
  const challenges = challenge?.challenges ?? parseChallenges(challenge?.wwwAuthenticate ?? '');
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  const dpop = challenges.find(({ scheme }) => scheme === 'dpop');
  const ours = bearer ?? dpop;
  const scope = ours?.params.get('scope');
  return {
    resourceMetadata: ours?.params.get('resource_metadata'),
    scopes: scope === undefined ? undefined : parseScopes(scope),
    error: dpop?.params.get('error') ?? bearer?.params.get('error'),
    dpopOnly: dpop !== undefined && bearer === undefined,
    acrValues: ours?.params.get('acr_values'),
    maxAge: maxAgeOf(ours?.params.get('max_age')),
  };
}
