import { isSameIssuer } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { isEncryptedJwt, isOnly, readJwt, type JwtContent } from '../jwt.js';
import type { IdJagTarget } from './id-jag.js';
import { ID_JAG } from './token-exchange.js';

export interface ValidatedIdJag {
  readonly token: string;
  /** Time when it expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly scopes: readonly string[] | undefined;
}

export interface IdJagExpectation extends IdJagTarget {
  /** Issuer of the identity provider. */
  readonly issuer: string;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

/** Asymmetric signatures only: nothing unsigned, and nothing that can be signed with a public key. */
const ALGORITHM = /^(?:[RPE]S(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448|ML-DSA-(?:44|65|87))$/;
/** Allowed difference between the clocks. */
const CLOCK_TOLERANCE_MS = 30_000;
/** Longest time that an ID-JAG is cached, whatever it says. */
const MAX_LIFETIME_MS = 3600_000;
/** Used when neither the ID-JAG nor the response says when it expires. */
const UNKNOWN_LIFETIME_MS = 60_000;

/**
 * Returns the ID-JAG of a response after checking that it is the requested one, so that a token for another audience is not sent
 * anywhere. The audience verifies the signature. Throws `AUTH_EXCHANGE_FAILED`.
 */
export function validateIdJag(reply: TokenEndpointResponse, expected: IdJagExpectation): ValidatedIdJag {
  const { access_token: token, token_type: type, issued_token_type: issued, expires_in: life, scope } = reply;
  const refuse = (what: string): FittingsError => unacceptable(expected, what);
  if (issued !== ID_JAG) throw refuse('has another token type than the requested one');
  // The library converts it to lower case.
  if (type !== 'n_a') throw refuse('is declared as an access token');
  const content = readJwt(token);
  if (content === undefined && !isEncryptedJwt(token)) throw refuse('is not a signed JWT');
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

/** Returns what is wrong with the JWT; undefined when it is valid. */
function problemOf({ header, claims }: JwtContent, expected: IdJagExpectation): string | undefined {
  const { typ, alg, crit } = header;
  const { iss, aud, client_id: client, resource, exp } = claims;
  const kind = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  if (kind !== 'oauth-id-jag+jwt') return 'has the wrong `typ` for an ID-JAG';
  if (typeof alg !== 'string' || !ALGORITHM.test(alg)) return 'does not have an asymmetric signature';
  if (crit !== undefined) return 'has critical parameters that are not supported';
  if (typeof iss !== 'string' || !isSameIssuer(iss, expected.issuer)) return 'has another issuer';
  if (!isOnly(aud, expected.audience)) return 'is for another authorization server';
  if (client !== expected.clientId) return 'is for another client';
  if (resource !== undefined && !isOnly(resource, expected.resource)) return 'is for another resource';
  if (typeof exp !== 'number' || exp * 1000 + CLOCK_TOLERANCE_MS <= expected.now) return 'has expired';
  return undefined;
}

function unacceptable({ server, issuer }: IdJagExpectation, what: string): FittingsError {
  return new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `The ID-JAG that ${issuer} issued for the server "${server}" ${what}, so it was not used.`,
    {
      server,
      hint: 'Report this to the administrator of the identity provider.',
      details: { stage: 'identity-provider' },
    },
  );
}
