import type { ParsedChallenge } from '@mcp-fittings/client-core';
import { parseChallenges } from './www-authenticate.js';

/** Status and headers of an HTTP reply. */
export interface ReplyHead {
  /** HTTP status code. */
  readonly status: number;
  /** Returns the value of a header by its lower-case name; several fields of one name are joined by a comma. */
  header(name: string): string | undefined;
  /** URL that the reply came from, after redirects, with the scheme `http:` or `https:`. */
  readonly url: URL;
}

/** A refusal that other credentials may overcome. The header is parsed once, here. */
export interface Challenge {
  /**
   * `credentials`: they are missing or invalid. `nonce`: the server wants its nonce in the DPoP proof (RFC 9449).
   * `scope`: they are valid but have too few scopes.
   */
  readonly kind: 'credentials' | 'nonce' | 'scope';
  /** What the provider is told: 403 if scopes are missing, 401 for the other kinds. The status of a reply can differ. */
  readonly status: 401 | 403;
  /** `WWW-Authenticate` as received; `undefined` if the reply has no such header. */
  readonly wwwAuthenticate: string | undefined;
  /** The same header, parsed; empty if it is missing or malformed. */
  readonly challenges: readonly ParsedChallenge[];
  /** Value of `DPoP-Nonce`, which the next DPoP proof has to contain. */
  readonly dpopNonce: string | undefined;
}

/**
 * Returns what a reply asks of the provider of credentials: for every 401, for a 403 with `error="insufficient_scope"`, and for
 * a 403 with a `Bearer` or `DPoP` challenge to a request without credentials. Returns `undefined` for any other reply.
 *
 * @param request Whether the request had no credentials. Default: it had some.
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1
 */
export function readChallenge(
  head: ReplyHead,
  { unsigned = false }: { readonly unsigned?: boolean } = {},
): Challenge | undefined {
  const { status } = head;
  if (status !== 401 && status !== 403) return undefined;
  const wwwAuthenticate = head.header('www-authenticate');
  const challenges = wwwAuthenticate === undefined ? [] : parseChallenges(wwwAuthenticate);
  const kind = kindOf(status, challenges, unsigned);
  if (kind === undefined) return undefined;
  const dpopNonce = head.header('dpop-nonce');
  return { kind, status: kind === 'scope' ? 403 : 401, wwwAuthenticate, challenges, dpopNonce };
}

function kindOf(
  status: 401 | 403,
  challenges: readonly ParsedChallenge[],
  unsigned: boolean,
): Challenge['kind'] | undefined {
  if (status === 401) return hasChallengeError(challenges, 'use_dpop_nonce') ? 'nonce' : 'credentials';
  // RFC 6750 says 401; some servers answer the first request with 403.
  if (unsigned && challenges.some(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')) {
    return 'credentials';
  }
  return hasChallengeError(challenges, 'insufficient_scope') ? 'scope' : undefined;
}

function hasChallengeError(challenges: readonly ParsedChallenge[], error: string): boolean {
  return challenges.some(({ params }) => params.get('error') === error);
}
