import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  clockSkew,
  clockTolerance,
  customFetch,
  processUserInfoResponse,
  skipSubjectCheck,
  validateApplicationLevelSignature,
  validateJwtAccessToken,
  type JsonValue,
} from 'oauth4webapi';
import type { Issuer } from './issuer.js';
import type { OAuthResourceOptions } from './oauth-resource.js';

/** Claims of a validated access token. `iss`, `sub` and `exp` are there; anything else may be missing. */
export interface AccessTokenClaims {
  /** Identifier of the issuer. */
  readonly iss: string;
  /** Identifies the person or program at the issuer. */
  readonly sub: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Whom the token is for: the gateway is one of them. */
  readonly aud: string | readonly string[];
  /** Any other claim, as the issuer has signed it. */
  readonly [claim: string]: JsonValue | readonly string[] | undefined;
}

/** A token, and what it has to be. */
export interface TokenCheck {
  /** Public URL, method and headers of the request that carries the token. */
  readonly request: Request;
  readonly token: string;
  readonly issuer: Issuer;
  /** The identifier that `aud` must contain. */
  readonly audience: string;
  readonly profile: NonNullable<OAuthResourceOptions['tokenProfile']>;
  readonly clock: Clock;
}

/** Signature algorithms of tokens and DPoP proofs: asymmetric ones. @see https://www.rfc-editor.org/rfc/rfc8725.html#section-3.1 */
export const SIGNATURE_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'Ed25519',
  'EdDSA',
] as const;

/** Difference that the clocks of issuer and gateway may have, in seconds. */
const SKEW_S = 10;

/**
 * Validates a token, and the DPoP proof of the request if it is bound to a key. Rejects with `AUTH_DISCOVERY_FAILED` if the keys of the
 * issuer cannot be read, and with any other error if the token is invalid.
 * @see https://www.rfc-editor.org/rfc/rfc9068.html#section-4
 */
export async function validateAccessToken(check: TokenCheck): Promise<AccessTokenClaims> {
  const { token, clock } = check;
  const { kid } = decodePart(token, 0);
  const options = {
    // Keys come from the cache of the issuer, and are asked for only when the claims are right.
    [customFetch]: async () =>
      Response.json({ keys: await check.issuer.keys(typeof kid === 'string' ? kid : undefined) }),
    [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
    [clockTolerance]: SKEW_S,
  };
  // The library caches keys for this object, so each validation has its own.
  const issuer = { issuer: check.issuer.identifier, jwks_uri: 'https://keys.invalid' };
  if (check.profile === 'jwt') return validatePlainJwt(check, issuer, options);
  const claims = await validateJwtAccessToken(issuer, check.request, check.audience, {
    ...options,
    signingAlgorithms: [...SIGNATURE_ALGORITHMS],
  });
  return withSubject(claims);
}

/** A signed UserInfo response is validated like an access token: algorithm, `iss`, `aud`, times, signature. */
async function validatePlainJwt(
  { token, audience }: TokenCheck,
  issuer: { readonly issuer: string; readonly jwks_uri: string },
  options: Parameters<typeof validateApplicationLevelSignature>[2] & {
    readonly [clockSkew]: number;
    readonly [clockTolerance]: number;
  },
): Promise<AccessTokenClaims> {
  const { typ } = decodePart(token, 0);
  const ordinary = typeof typ === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);
  if (typ !== undefined && !ordinary) throw invalid('has another type');
  const response = new Response(token, { headers: { 'content-type': 'application/jwt' } });
  const claims = await processUserInfoResponse(
    { ...issuer, userinfo_signing_alg_values_supported: [...SIGNATURE_ALGORITHMS] },
    { client_id: audience, [clockSkew]: options[clockSkew], [clockTolerance]: options[clockTolerance] },
    skipSubjectCheck,
    response,
  );
  // The library checks these claims only where they are present.
  if (claims['iss'] === undefined || claims['aud'] === undefined) throw invalid('lacks "iss" or "aud"');
  // Keycloak names the use of its tokens in a claim.
  if (claims['typ'] !== undefined && claims['typ'] !== 'Bearer') throw invalid('is not an access token');
  if (claims['cnf'] !== undefined)
    throw invalid('is bound to a key, which the profile "jwt" does not support');
  await validateApplicationLevelSignature(issuer, response, options);
  return withSubject(claims);
}

function withSubject(claims: Readonly<Record<string, JsonValue | undefined>>): AccessTokenClaims {
  const { iss, sub, exp, aud } = claims;
  const audience = typeof aud === 'string' ? aud : Array.isArray(aud) ? aud.map(String) : undefined;
  if (typeof iss !== 'string' || typeof exp !== 'number' || audience === undefined)
    throw invalid('lacks a claim');
  if (typeof sub !== 'string' || sub === '') throw invalid('has no subject');
  return { ...claims, iss, sub, exp, aud: audience };
}

/** Decodes the header (0) or the claims (1) of a JWT, without validating anything. Throws for anything else. */
export function decodePart(token: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());
  if (!isRecord(value)) throw invalid('is not a JWT');
  return value;
}

function invalid(why: string): FittingsError {
  return new FittingsError('AUTH_REJECTED', `The access token ${why}.`);
}
