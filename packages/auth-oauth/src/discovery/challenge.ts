import type { AuthChallenge } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/remote-policy';
import { maxAgeOf } from '../failures.js';
import { scopesOf } from '../scopes.js';

/** What a refusal says that matters to sign-in. */
export interface ChallengeFacts {
  /** Where the metadata of the resource is. From a stranger. */
  readonly resourceMetadata: string | undefined;
  /** Scopes that the request needs; undefined when it does not say. */
  readonly scopes: readonly string[] | undefined;
  /** `insufficient_scope`, `invalid_token`, `use_dpop_nonce` … */
  readonly error: string | undefined;
  /** Nothing but DPoP is accepted. @see https://www.rfc-editor.org/rfc/rfc9449.html#name-the-dpop-authentication-sch */
  readonly dpopOnly: boolean;
  /** How the person has to have signed in. @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
  readonly acrValues: string | undefined;
  /** How long ago that may be at most, seconds. */
  readonly maxAge: number | undefined;
}

export function readChallenge(challenge: AuthChallenge | undefined): ChallengeFacts {
  const challenges = challenge?.challenges ?? parseChallenges(challenge?.wwwAuthenticate ?? '');
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  const dpop = challenges.find(({ scheme }) => scheme === 'dpop');
  const ours = bearer ?? dpop;
  const scope = ours?.params.get('scope');
  return {
    resourceMetadata: ours?.params.get('resource_metadata'),
    scopes: scope === undefined ? undefined : scopesOf(scope),
    error: dpop?.params.get('error') ?? bearer?.params.get('error'),
    dpopOnly: dpop !== undefined && bearer === undefined,
    acrValues: ours?.params.get('acr_values'),
    maxAge: maxAgeOf(ours?.params.get('max_age')),
  };
}
