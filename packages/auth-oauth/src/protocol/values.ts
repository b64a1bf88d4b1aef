import type { AuthChallenge } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';

/** Returns the string at a member; undefined for anything else. */
export function textOf(document: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the strings of the array at a member, without its other elements; undefined for anything else than an array. */
export function textsOf(
  document: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}

/** Parses seconds, from a number or its digits; undefined for anything else. */
export function maxAgeOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,9}$/.test(value))) return undefined;
  const seconds = Number(value);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,65536}$/;

/**
 * Returns whether a token can be sent in a header and in a form: visible ASCII, nothing that ends a line or a credential.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A
 */
export function hasTokenSyntax(token: string): boolean {
  return VISIBLE_ASCII.test(token);
}

/** The syntax of a scope. @see https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** Longer lists are cut. */
const MAX_SCOPES = 200;

/** Returns the valid scopes of a space-separated list, without duplicates, in their order. */
export function parseScopes(text: string): readonly string[] {
  return validScopes(text.split(' '));
}

function validScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES);
}

/** Returns the union of lists of scopes. */
export function mergeScopes(...lists: readonly (readonly string[])[]): readonly string[] {
  return validScopes(lists.flat());
}

/**
 * Returns whether two issuer identifiers are identical, or differ only in the slash of an empty path: `https://as.example` and
 * `https://as.example/` are one URL with one metadata document. Every other difference counts, for example in the case, the
 * port, or the slash after a path.
 */
export function isSameIssuer(one: string, other: string | undefined): boolean {
  return other !== undefined && withoutRootSlash(one) === withoutRootSlash(other);
}

/** Returns an issuer identifier without the slash of an empty path, as the name of what is stored for it. */
export function withoutRootSlash(issuer: string): string {
  return /^[a-z]+:\/\/[^/?#]+\/$/i.test(issuer) ? issuer.slice(0, -1) : issuer;
}

/** The parameters of a `WWW-Authenticate` challenge that matter to a sign-in. Untrusted. */
export interface OAuthChallenge {
  /** URL of the protected resource metadata (`resource_metadata`). */
  readonly resourceMetadata: string | undefined;
  /** Scopes that the request needs (`scope`). */
  readonly scopes: readonly string[] | undefined;
  /** The error code, such as `insufficient_scope`, `invalid_token` or `use_dpop_nonce`. */
  readonly error: string | undefined;
  /**
   * True if the server accepts DPoP-bound tokens only.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html#name-the-dpop-authentication-sch
   */
  readonly dpopOnly: boolean;
  /** Required authentication of the person (`acr_values`). @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
  readonly acrValues: string | undefined;
  /** Most seconds since that authentication (`max_age`). */
  readonly maxAge: number | undefined;
}

/**
 * Parses the `Bearer` or `DPoP` challenge of a refusal. All members are undefined or false without one.
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
