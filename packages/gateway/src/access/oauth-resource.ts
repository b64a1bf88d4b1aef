import { type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { hashText } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Access, AccessDecision, AccessRequest } from '../contracts/access.js';
import type { Caller, ItemKind } from '../contracts/caller.js';
import {
  decodePart,
  SIGNATURE_ALGORITHMS,
  validateAccessToken,
  type AccessTokenClaims,
} from './access-token.js';
import { refuse } from '../http/refusals.js';
import { challenge, readAuthorization, type ChallengeParameters } from './challenge.js';
import { createIssuer } from './issuer.js';
import type { OutboundFetch } from './outbound-fetch.js';
import { principalOfSubject } from './principal.js';
import { createProtectedAddresses, type ProtectedAddress } from './protected-address.js';
import { RecentValues } from '../state/recent-values.js';
import { createScopeGrants, type GrantedItem } from './scope-grants.js';

/** Options of {@link oauthResource}. */
export interface OAuthResourceOptions {
  /** Public URL of all servers, such as `https://gateway.example/mcp`. One server is at `{resource}/{server}`. */
  readonly resource: string;
  /** Issuers whose tokens are accepted, written as in `iss`. Their metadata is read when the first token arrives. */
  readonly issuers: readonly string[];
  /**
   * Maps the scopes of a token to what they allow. A record has the grant of each scope, the narrowest first: everything (`*`), or some
   * servers; a token gets the sum of its scopes. A grant that lists items of any kind grants these only; otherwise it grants everything of
   * the server. In a list, `*` stands for any characters: `get_*`.
   *
   * A function decides from the claims, and returns undefined to refuse the token with `insufficient_scope`. Default: every valid token
   * allows everything.
   */
  readonly scopes?:
    | Readonly<
        Record<
          string,
          | '*'
          | readonly {
              /** Name of the server in the host. */
              readonly server: string;
              /** Original names of tools. */
              readonly tools?: readonly string[] | undefined;
              /** Original names of prompts. */
              readonly prompts?: readonly string[] | undefined;
              /** URIs of resources, and URI templates. */
              readonly resources?: readonly string[] | undefined;
            }[]
        >
      >
    | ((claims: AccessTokenClaims) => Caller['allows'] | undefined)
    | undefined;
  /**
   * Returns the person for whom the host acts, and to whom sign-ins to servers belong. Must differ for different people, whatever the
   * issuer. Default: issuer and subject. If it throws, the token is refused.
   */
  readonly principalOf?: ((claims: AccessTokenClaims) => string) | undefined;
  /**
   * Values of `aud` that are accepted instead of the resource, for issuers that do not support resource indicators. Default: the URL of
   * the address that the request is for, or `resource`.
   * @see https://www.rfc-editor.org/rfc/rfc8707.html
   */
  readonly audience?: string | readonly string[] | undefined;
  /**
   * `at+jwt` accepts tokens of RFC 9068 only. `jwt` also accepts tokens with `typ: JWT`, or without `jti` and `client_id`, which issuers
   * such as Keycloak and Microsoft Entra ID send; only `aud` then tells an access token from an ID token. Default `at+jwt`.
   */
  readonly tokenProfile?: 'at+jwt' | 'jwt' | undefined;
  /** Largest access token, in bytes. Default 16 384. */
  readonly maxTokenBytes?: number | undefined;
  /** Milliseconds until a validated token is validated again; never longer than it is valid. Default 300 000. */
  readonly cacheMs?: number | undefined;
  /** Name of the gateway in its metadata, for people. Default: none. */
  readonly name?: string | undefined;
  /** Sends requests to the issuers. Must not follow redirects. Default: the global `fetch`. */
  readonly fetch?: OutboundFetch | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives warnings about issuers that cannot be reached. Default: none. */
  readonly logger?: Logger | undefined;
}

/** Access of {@link oauthResource}, and the tokens that it has admitted. */
export interface OAuthResource extends Access {
  /**
   * Returns the token of the last request of this person that was admitted, until it expires, if it is one of this issuer: for
   * `subjectToken` of `tokenExchange()` in `@mcp-fittings/auth-oauth/token-exchange`. It stays in the memory of this replica. Do not send it to a server. Throws `CONFIG_INVALID` without a
   * principal. It is a bound function, so it can be passed on.
   */
  readonly callerToken: (caller: {
    readonly principal: string | undefined;
    readonly issuer: string;
  }) => { readonly type: 'access_token'; readonly token: string } | undefined;
}

const MAX_TOKENS = 10_000;
const MAX_PROOFS = 100_000;
/** A proof is valid for five minutes before and after its `iat`. */
const PROOF_LIFE_MS = 620_000;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Creates an access scheme with which the gateway is an OAuth protected resource: callers bring JWT access tokens of the issuers. The
 * scheme answers requests for the metadata of `/mcp` and of each `/mcp/{server}`, refuses requests with challenges that MCP clients
 * understand, and validates each token: signature (asymmetric algorithms only), issuer, audience, times, subject, and the DPoP proof of
 * a token that is bound to a key.
 *
 * If the keys of an issuer cannot be read, requests are answered with 503. Throws `CONFIG_INVALID` for invalid options.
 * @example
 * ```ts
 * const access = oauthResource({
 *   resource: 'https://gateway.example/mcp',
 *   issuers: ['https://login.example'],
 *   scopes: { 'github:read': [{ server: 'github', tools: ['get_*'] }], all: '*' },
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 * @see https://www.rfc-editor.org/rfc/rfc9728.html
 */
export function oauthResource(options: OAuthResourceOptions): OAuthResource {
  const {
    principalOf = principalOfSubject,
    tokenProfile: profile = 'at+jwt',
    maxTokenBytes = 16_384,
    cacheMs = 300_000,
    clock = systemClock,
    fetch,
    logger,
  } = options;
  const addresses = createProtectedAddresses(options.resource);
  const grants = createScopeGrants(options.scopes);
  const issuers = new Map(
    options.issuers.map((identifier) => [identifier, createIssuer(identifier, { clock, fetch, logger })]),
  );
  const audiences = typeof options.audience === 'string' ? [options.audience] : options.audience;
  if (issuers.size === 0 || audiences?.length === 0)
    throw nothingAccepted(issuers.size === 0 ? 'issuers' : 'audience');
  const validated = new RecentValues<AccessTokenClaims>(MAX_TOKENS, clock);
  const proofs = new RecentValues<true>(MAX_PROOFS, clock);
  /** The last token of each principal. */
  const admitted = new RecentValues<string>(MAX_TOKENS, clock);

  /** Returns the claims; undefined for an invalid token. */
  const validate = async (
    request: AccessRequest,
    token: string,
    address: ProtectedAddress,
  ): Promise<AccessTokenClaims | undefined> => {
    const unverified = decodePart(token, 1);
    const issuer = typeof unverified['iss'] === 'string' ? issuers.get(unverified['iss']) : undefined;
    const named = [unverified['aud']].flat();
    const audience = (audiences ?? [address.resource, options.resource]).find((each) => named.includes(each));
    if (issuer === undefined || audience === undefined) return undefined;
    // The proof of DPoP is about the public URL. Behind a reverse proxy the request has another one.
    const { method } = request;
    const headers = pick(request.headers, ['authorization', 'dpop']);
    const seen = new Request(address.resource, { method, headers });
    return validateAccessToken({ request: seen, token, issuer, audience, profile, clock });
  };

  const claimsOf = async (
    request: AccessRequest,
    scheme: string,
    token: string,
    address: ProtectedAddress,
  ) => {
    if (token.length > maxTokenBytes || !JWT.test(token)) return undefined;
    const proof = request.headers.get('dpop');
    if (scheme === 'dpop' || proof !== null) {
      const claims = profile === 'at+jwt' ? await validate(request, token, address) : undefined;
      if (claims === undefined || proof === null) return undefined;
      // A proof is for one request; its signature is validated by now.
      const used = hashText(`${token} ${String(decodePart(proof, 1)['jti'])}`);
      if (proofs.get(used) === true) return undefined;
      proofs.set(used, true, clock.now() + PROOF_LIFE_MS);
      return claims;
    }
    const key = hashText(`${address.resource} ${token}`);
    const known = validated.get(key);
    if (known !== undefined) return known;
    const claims = await validate(request, token, address);
    if (claims !== undefined) {
      validated.set(key, claims, Math.min(claims.exp * 1000, clock.now() + cacheMs));
    }
    return claims;
  };

  const decide = (
    request: AccessRequest,
    claims: AccessTokenClaims,
    address: ProtectedAddress,
  ): AccessDecision => {
    const { server } = address;
    const principal = principalOf(claims);
    if (typeof principal !== 'string' || principal === '')
      throw new Error('"principalOf" did not return a name.');
    const allows = grants.allows(claims);
    const item = itemOf(request, server);
    if (allows === undefined || (server !== undefined && !allows(server, item?.name, item?.kind))) {
      const scope = grants.needed(server, item).join(' ');
      const error = { error: 'insufficient_scope', error_description: 'The token lacks a scope.' } as const;
      return {
        refusal: challenge(403, 'Bearer', { ...error, scope, resource_metadata: address.metadataUrl }),
      };
    }
    return { caller: { id: principalOfSubject(claims), principal, allows }, expiresAt: claims.exp * 1000 };
  };

  return {
    async authenticate(request) {
      const address = addresses.ofRequest(new URL(request.url).pathname);
      const parameters: ChallengeParameters = {
        resource_metadata: address.metadataUrl,
        scope: grants.needed(address.server).join(' '),
      };
      const { scheme, credentials } = readAuthorization(request);
      if (scheme !== 'bearer' && scheme !== 'dpop') return { refusal: challenge(401, 'Bearer', parameters) };
      try {
        const claims = await claimsOf(request, scheme, credentials, address);
        if (claims !== undefined) {
          const decision = decide(request, claims, address);
          const principal = 'caller' in decision ? decision.caller.principal : undefined;
          if (principal !== undefined) admitted.set(principal, credentials, claims.exp * 1000);
          return decision;
        }
      } catch (error) {
        if (isUnavailable(error)) return { refusal: unavailable() };
        logger?.debug('An access token was refused.', { error });
      }
      const error = {
        error: 'invalid_token',
        error_description: 'The token is invalid, has expired, or is for another resource.',
      } as const;
      if (scheme === 'bearer') return { refusal: challenge(401, 'Bearer', { ...error, ...parameters }) };
      return {
        refusal: challenge(401, 'DPoP', { ...error, ...parameters, algs: SIGNATURE_ALGORITHMS.join(' ') }),
      };
    },

    callerToken({ principal, issuer }) {
      if (principal === undefined) throw noCaller();
      const token = admitted.get(principal);
      if (token === undefined || withoutSlash(decodePart(token, 1)['iss']) !== withoutSlash(issuer))
        return undefined;
      return { type: 'access_token', token };
    },

    async respond(request) {
      const address = addresses.ofMetadata(new URL(request.url).pathname);
      if (address === undefined) return undefined;
      // Clients in a browser read it from another origin. It is public.
      const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const status = request.method === 'OPTIONS' ? 204 : 405;
        const allow = { allow: 'GET, HEAD, OPTIONS', 'access-control-allow-headers': '*' };
        return new Response(null, { status, headers: { ...headers, ...allow } });
      }
      const scopes = grants.needed(address.server);
      const document = {
        resource: address.resource,
        authorization_servers: options.issuers,
        bearer_methods_supported: ['header'],
        ...(scopes.length > 0 && { scopes_supported: scopes }),
        ...(profile === 'at+jwt' && { dpop_signing_alg_values_supported: SIGNATURE_ALGORITHMS }),
        ...(options.name !== undefined && { resource_name: options.name }),
      };
      return Response.json(document, { headers });
    },
  };
}

/** Programs write an issuer without the slash at its end. */
function withoutSlash(issuer: unknown): string {
  return String(issuer).replace(/\/$/, '');
}

/** The kind of item that the header `Mcp-Name` names, by the method of the request. */
const NAMED = new Map<string, ItemKind>([
  ['tools/call', 'tool'],
  ['prompts/get', 'prompt'],
  ['resources/read', 'resource'],
]);

/**
 * Returns the item that the headers of a 2026-07-28 request name, so that the client learns which scope it needs. Every request is decided
 * again by its body. Names at `/mcp` are those that the gateway gives, so a request there is decided by its body only.
 */
function itemOf(request: AccessRequest, server: string | undefined): GrantedItem | undefined {
  const name = request.headers.get('mcp-name');
  if (server === undefined || name === null || name.startsWith('=?')) return undefined;
  const kind = NAMED.get(request.headers.get('mcp-method') ?? '');
  return kind && { kind, name };
}

function pick(headers: AccessRequest['headers'], names: readonly string[]): Headers {
  const picked = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked.set(name, value);
  }
  return picked;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof FittingsError && error.code === 'AUTH_DISCOVERY_FAILED';
}

function unavailable(): Response {
  const headers = { 'retry-after': '5', 'cache-control': 'no-store' };
  return refuse(503, 'The keys of the issuer cannot be read.', { headers });
}

function noCaller(): FittingsError {
  return new FittingsError('CONFIG_INVALID', 'This caller has no access token that could be exchanged.', {
    hint: 'Callers of a socket, stdio, bearerToken() and the host itself have none: let them connect with oauthResource(), or set another "oauth.grant" in the entry of the server.',
  });
}

function nothingAccepted(option: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', `"${option}" of oauthResource() is empty.`, {
    hint: 'Name at least one.',
  });
}
