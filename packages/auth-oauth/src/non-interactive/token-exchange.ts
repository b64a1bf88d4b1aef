import {
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  type FittingsErrorOptions,
} from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { hashText } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { OAuthProviderOptions, TokenProviderOptions } from '../options.js';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import { RecentFailures } from '../protocol/recent-failures.js';
import { hasTokenSyntax, isSameIssuer } from '../protocol/values.js';
import { clientAuthentication } from '../tokens/token-endpoint.js';
import { exchangeToken, type TypedToken } from '../tokens/token-exchange.js';
import { createNonInteractiveProvider, type GrantRequest } from './grant-provider.js';

/** As long as this, in milliseconds, a token of a user that was refused is not sent again. */
const PAUSE_MS = 30_000;
const MAX_REFUSED = 16;

/** Options of {@link createTokenExchangeProvider}. `clientSecret` or `clientKey` is required. */
export interface TokenExchangeOptions extends Omit<TokenProviderOptions, 'store' | 'identity' | 'principal'> {
  /** The only authorization server that receives the tokens, whatever the MCP server names. */
  readonly issuer: string;
  /** Id of this program at the authorization server. */
  readonly clientId: string;
  /** Secret of this program. */
  readonly clientSecret?: string | undefined;
  /** Private key of this program (`private_key_jwt`); preferred to a secret. */
  readonly clientKey?: OAuthProviderOptions['clientKey'];
  /**
   * Returns the token with which the user called this program, or undefined while there is no token. Must return tokens of one user.
   * Called for every exchange, and every few seconds while there is no token.
   */
  readonly subjectToken: () => TypedToken | undefined | Promise<TypedToken | undefined>;
  /**
   * Returns a token of this program, for an authorization server that does not take the actor of the new token (`act`) from the client.
   * Called for every exchange. Default: none is sent.
   */
  readonly actorToken?: (() => TypedToken | Promise<TypedToken>) | undefined;
  /** Name of the MCP server at the authorization server, sent as `audience` besides `resource`. Default: none. */
  readonly audience?: string | undefined;
}

/**
 * Creates a provider that exchanges the token of the user who called this program for tokens of one MCP server. The MCP server sees the
 * user (`sub`), and never the token that was exchanged. Tokens are kept in memory, as long as the provider.
 *
 * Throws `CONFIG_INVALID` without a secret or key. Its methods reject with `AUTH_REQUIRED` if the user has to bring another token,
 * `AUTH_EXCHANGE_FAILED` or `AUTH_SCOPE_INSUFFICIENT` if the authorization server refuses, `AUTH_DISCOVERY_FAILED`, `AUTH_REJECTED`,
 * `CALLBACK_FAILED`, or the codes of the network.
 * @example
 * ```ts
 * const provider = createTokenExchangeProvider({
 *   url: 'https://mcp.example.com/mcp',
 *   issuer: 'https://login.example.com',
 *   clientId: 'web-app',
 *   clientSecret: process.env['CLIENT_SECRET'],
 *   subjectToken: () => ({ type: 'access_token', token: session.accessToken }),
 * });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8693.html
 */
export function createTokenExchangeProvider(options: TokenExchangeOptions): AuthProvider {
  const { issuer, clientId, clientSecret: secret, clientKey: key, audience } = options;
  if (secret === undefined && key === undefined) {
    throw new FittingsError('CONFIG_INVALID', 'A token exchange requires "clientSecret" or "clientKey".');
  }
  /** By the hashes of the tokens. */
  const refused = new RecentFailures(options.clock ?? systemClock, MAX_REFUSED);
  const base = createNonInteractiveProvider(
    { ...options, store: memoryStore({ clock: options.clock }) },
    {
      kind: 'token-exchange',
      remembers: (error) => refused.has(error),
      async run(request) {
        const { provider, discovered, scopes, dpop, signal } = request;
        const { server, network } = provider;
        const { authorizationServer, resourceParameter: resource } = discovered;
        if (!isSameIssuer(authorizationServer.issuer, issuer)) {
          throw otherIssuer(server, issuer, authorizationServer.issuer);
        }
        const subject = await read('subjectToken', options.subjectToken, server);
        if (subject === undefined) {
          const message = `There is no valid token of the user to exchange for "${server}".`;
          throw newTokenRequired(message, { server, hint: 'Retry with a new token.' });
        }
        const known = refused.get(hashText(subject.token));
        if (known !== undefined) throw known;
        const actor = options.actorToken && (await read('actorToken', options.actorToken, server));
        const authenticate = clientAuthentication(authorizationServer, { secret, key });
        const client = { issuer, clientId, origin: 'configured', authenticate } as const;
        try {
          const response = await exchangeToken(
            { network, server, authorizationServer, client, dpop, signal },
            'Exchanging the token of the user',
            { subject, actor, requested: 'access_token', audience, resource, scopes },
          );
          const sent = [subject.token, actor?.token];
          if (sent.includes(response.access_token) || !isAccessToken(response))
            throw notExchanged(server, issuer);
          return { response, clientId };
        } catch (error) {
          const failure = refusal(error, options, request);
          if (failure instanceof FittingsError && BLAMES_TOKEN.has(oauthErrorCode(failure)))
            refused.add(hashText(subject.token), failure, PAUSE_MS);
          throw failure;
        }
      },
    },
  );
  return {
    ...base,
    async hasNewSignIn() {
      const token = (await options.subjectToken())?.token;
      return token !== undefined && refused.get(hashText(token)) === undefined;
    },
  };
}

/** Calls a callback of the program. Its own errors are for the user. */
async function read<T extends TypedToken | undefined>(
  name: string,
  callback: () => T | Promise<T>,
  server: string,
): Promise<T> {
  const failed = (what: string, cause?: unknown): FittingsError =>
    new FittingsError('CALLBACK_FAILED', `The "${name}" callback for "${server}" ${what}.`, {
      server,
      cause,
    });
  let token: T;
  try {
    token = await callback();
  } catch (cause) {
    throw cause instanceof FittingsError ? cause : failed('threw', cause);
  }
  if (token === undefined || hasTokenSyntax(token.token)) return token;
  throw failed('returned something that is not a token');
}

/** Returns what the user is told about a refusal, and any other error as it is. */
function refusal(
  error: unknown,
  { issuer, clientId, audience }: TokenExchangeOptions,
  { provider: { server }, discovered: { resource }, scopes }: GrantRequest,
): unknown {
  if (!(error instanceof FittingsError) || error.code !== 'AUTH_FAILED') return error;
  const { message, details } = error;
  const reason = oauthErrorCode(error) ?? '';
  const because = (hint: string) => ({ server, cause: error, details, hint });
  if (BLAMES_SUBJECT.includes(reason)) {
    const allow = `If a new token is refused too, ${issuer} must allow "${clientId}" to exchange it.`;
    return newTokenRequired(message, because(`Sign in again, and retry. ${allow}`));
  }
  if (BLAMES_SCOPE.includes(reason)) {
    const wanted = scopes.join(' ') || 'those of the server';
    const hint = `Sign in with more scopes, or ask the administrator of ${issuer} to grant ${wanted}.`;
    return new FittingsError('AUTH_SCOPE_INSUFFICIENT', message, because(hint));
  }
  const what =
    reason === 'invalid_target'
      ? `request tokens for ${audience ?? resource}. If it has another name there, set "audience" in the program.`
      : 'exchange tokens.';
  const hint = `Ask the administrator of ${issuer} to let "${clientId}" ${what}`;
  return new FittingsError('AUTH_EXCHANGE_FAILED', message, because(hint));
}

/** RFC 8693 specifies `invalid_request` for an invalid subject token; servers send `invalid_grant` too. */
const BLAMES_SUBJECT = ['invalid_grant', 'invalid_request'];
const BLAMES_SCOPE = ['invalid_scope', 'insufficient_scope'];
/** Refusals that another token of the user may not meet. */
const BLAMES_TOKEN: ReadonlySet<string | undefined> = new Set([
  ...BLAMES_SUBJECT,
  ...BLAMES_SCOPE,
  'invalid_target',
]);

/** The user signs in to this program again, and not to the MCP server. */
function newTokenRequired(message: string, options: FittingsErrorOptions): AuthRequiredError {
  return new AuthRequiredError(message, { ...options, details: { ...options.details, interactive: false } });
}

const ISSUED = ['access_token', 'jwt'].map((type) => `urn:ietf:params:oauth:token-type:${type}`);

/** A few authorization servers leave the type out. */
function isAccessToken({ issued_token_type: type }: TokenEndpointResponse): boolean {
  return type === undefined || (typeof type === 'string' && ISSUED.includes(type));
}

function notExchanged(server: string, issuer: string): FittingsError {
  return new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `The authorization server did not issue a new access token for "${server}".`,
    { server, hint: `Ask the administrator of ${issuer} to issue access tokens for it.` },
  );
}

function otherIssuer(server: string, issuer: string, found: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `"${server}" names the authorization server ${found}, and tokens of users are sent to ${issuer} only.`,
    {
      server,
      hint: 'Use another grant for this server.',
      details: { reason: 'issuer' },
    },
  );
}
