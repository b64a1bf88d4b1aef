import type { ParsedChallenge } from '@mcp-fittings/client-core/transport';
import { parseChallenges } from './www-authenticate.js';

/** The head of a reply, as far as its meaning goes. */
export interface ReplyHead {
  readonly status: number;
  /** Value of a header, by lower-case name; several fields joined by a comma. */
  header(name: string): string | undefined;
  /** Where the reply came from, as `http:` or `https:`. */
  readonly url: URL;
}

/** A refusal that other credentials can answer. It is parsed once and carried in this form. */
export interface Challenge {
  /**
   * `credentials`: they are missing or invalid. `nonce`: the same, but the server only wants its nonce in the DPoP proof.
   * `scope`: they are valid and do not reach far enough.
   */
  readonly kind: 'credentials' | 'nonce' | 'scope';
  readonly status: 401 | 403;
  /** `WWW-Authenticate` as received. */
  readonly wwwAuthenticate: string | undefined;
  readonly challenges: readonly ParsedChallenge[];
  readonly dpopNonce: string | undefined;
}

/** What a refusal asks of the provider of credentials: every 401, and a 403 with `error="insufficient_scope"`. */
export function readChallenge(head: ReplyHead): Challenge | undefined {
  const { status } = head;
  if (status !== 401 && status !== 403) return undefined;
  const wwwAuthenticate = head.header('www-authenticate');
  const challenges = wwwAuthenticate === undefined ? [] : parseChallenges(wwwAuthenticate);
  if (status === 403 && !hasChallengeError(challenges, 'insufficient_scope')) return undefined;
  const kind =
    status === 403 ? 'scope' : hasChallengeError(challenges, 'use_dpop_nonce') ? 'nonce' : 'credentials';
  return { kind, status, wwwAuthenticate, challenges, dpopNonce: head.header('dpop-nonce') };
}

function hasChallengeError(challenges: readonly ParsedChallenge[], error: string): boolean {
  return challenges.some(({ params }) => params.get('error') === error);
}
