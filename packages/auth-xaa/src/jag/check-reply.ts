import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { isEncryptedJwt, isOnly, readJwt, type JwtContent } from '../jwt.js';
import type { IdJagTarget } from './assertion.js';
import { ID_JAG } from './token-types.js';

export interface CheckedReply {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly scopes: readonly string[] | undefined;
}

export interface ReplyExpectation extends IdJagTarget {
  /** Issuer of the identity provider. */
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Signed with a key pair: nothing unsigned, and nothing that whoever knows a public key could have made. */
const ALGORITHM = /^(?:[RPE]S(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448|ML-DSA-(?:44|65|87))$/;
/** Clocks differ. */
const TOLERANCE_MS = 30_000;
/** An assertion that claims to live longer is not kept for longer. */
const MAX_LIFETIME_MS = 3600_000;
/** Where nobody says how long it lives. */
const UNKNOWN_LIFETIME_MS = 60_000;

/**
 * The assertion in a reply, once it is known to be what was asked for: what is somebody else's is not carried to anybody. The
 * signature is for its audience to verify. Throws `AUTH_EXCHANGE_FAILED`.
 */
export function checkReply(reply: TokenEndpointResponse, expected: ReplyExpectation): CheckedReply {
  const { access_token: token, token_type: type, issued_token_type: issued, expires_in: life, scope } = reply;
  const refuse = (what: string): FittingsError => unacceptable(expected, what);
  if (issued !== ID_JAG) throw refuse('is of another type than was asked for');
  // The library gives it in lower case.
  if (type !== 'n_a') throw refuse('is declared to be an access token');
  const content = readJwt(token);
  if (content === undefined && !isEncryptedJwt(token)) throw refuse('is no signed JWT');
  const problem = content && problemOf(content, expected);
  if (problem !== undefined) throw refuse(problem);
  const end = content === undefined ? undefined : Number(content.claims['exp']) * 1000;
  const { now } = expected;
  const said = life === undefined ? undefined : now + Math.max(life, 0) * 1000;
  return {
    token,
    expiresAt: Math.min(
      end ?? said ?? now + UNKNOWN_LIFETIME_MS,
      said ?? Number.POSITIVE_INFINITY,
      now + MAX_LIFETIME_MS,
    ),
    scopes: scope?.split(' ').filter((each) => each !== ''),
  };
}

/** What is wrong with it; undefined when nothing is. */
function problemOf({ header, claims }: JwtContent, expected: ReplyExpectation): string | undefined {
  const { typ, alg, crit } = header;
  const { iss, aud, client_id: client, resource, exp } = claims;
  const kind = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  if (kind !== 'oauth-id-jag+jwt') return 'is a JWT of another kind';
  if (typeof alg !== 'string' || !ALGORITHM.test(alg)) return 'is not signed with a key pair';
  if (crit !== undefined) return 'has critical parameters that nobody here knows';
  if (iss !== expected.issuer) return 'was made by somebody else';
  if (!isOnly(aud, expected.audience)) return 'is for another authorization server';
  if (client !== expected.clientId) return 'is for another client';
  if (resource !== undefined && !isOnly(resource, expected.resource)) return 'is for another resource';
  if (typeof exp !== 'number' || exp * 1000 + TOLERANCE_MS <= expected.now) return 'has expired';
  return undefined;
}

function unacceptable({ server, issuer }: ReplyExpectation, what: string): FittingsError {
  return new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `The assertion that ${issuer} gave for "${server}" ${what}, and was not used.`,
    {
      server,
      hint: 'Show this to the administrator of the identity provider.',
      details: { stage: 'identity-provider' },
    },
  );
}
