import {
  isRecent,
  type AuthChallenge,
  type AuthProvider,
  type FittingsError,
} from '@mcp-fittings/client-core/auth';
import { parseOAuthChallenge } from '../discovery/challenge.js';
import { isSameIssuer } from '../discovery/issuer-url.js';
import { hasTokenSyntax } from '../protocol/token-syntax.js';
import type { TokenManager } from '../tokens/token-manager.js';
import { isAlive, type TokenRecord } from '../tokens/token-record.js';
import type { ProviderDeps } from './provider-deps.js';

/** The part of an auth provider that never involves a person: it signs requests and recovers from refusals. */
export type TokenProvider = Required<Pick<AuthProvider, 'headers' | 'onChallenge' | 'onDpopNonce'>>;

/** A token that is refused within this time of being issued never worked, milliseconds. */
const NEW_MS = 10_000;
/** After this many such tokens in a row the cached metadata is not trusted: the right authorization server may be another. */
const MAX_UNDISCOVERED = 2;

export interface TokenProviderDeps {
  readonly provider: ProviderDeps;
  readonly tokens: TokenManager;
  /** Whether the first token can be obtained without a person, once discovery has found the authorization server. */
  readonly canStartSilently: boolean;
  /** Returns the error to throw when no new token can be obtained after a 401; `refusal` is why a renewal was refused. */
  readonly onUnrecoverable: (challenge: AuthChallenge, refusal: FittingsError | undefined) => FittingsError;
  /** Handles a 403 for a token that is valid but lacks a scope: resolves when there is a better token, or throws. */
  readonly onInsufficientScope: (challenge: AuthChallenge, record: TokenRecord | undefined) => Promise<void>;
}

export function createTokenProvider(deps: TokenProviderDeps): TokenProvider {
  const { provider, tokens, canStartSilently, onUnrecoverable, onInsufficientScope } = deps;
  const { clock, serverUrl, dpopKeys } = provider;
  /** The record that signed the last request, and its header value; undefined if the token cannot be put into a header. */
  let signedWith: TokenRecord | undefined;
  let lastAuthorization: string | undefined;
  /** The last token obtained without discovery, and how many such tokens in a row were refused right away. */
  let undiscovered: { readonly token: string; readonly count: number } | undefined;

  const countInARow = (record: TokenRecord): number => {
    const isNew = isRecent(record.obtainedAt, NEW_MS, clock.now());
    return isNew && record.accessToken === undiscovered?.token ? undiscovered.count : 0;
  };

  /** A challenge that does not name the refused credential is about the last one sent. An expired token helps as little. */
  const isRefused = (record: TokenRecord, { refused = lastAuthorization }: AuthChallenge): boolean =>
    refused === authorizationOf(record) || !isAlive(record, clock.now());

  const unrecoverable = (challenge: AuthChallenge): FittingsError =>
    onUnrecoverable(challenge, tokens.refusal);

  /** 401: another process may have stored a newer token, or the authorization server issues one. */
  const recover = async (challenge: AuthChallenge): Promise<void> => {
    const { dpopNonce } = challenge;
    if (dpopNonce !== undefined && parseOAuthChallenge(challenge).error === 'use_dpop_nonce') {
      return dpopKeys.learnNonce(challenge.url, dpopNonce);
    }
    let record = await tokens.current();
    if (record === undefined || isRefused(record, challenge)) record = await tokens.reload();
    if (record !== undefined && !isRefused(record, challenge)) return;
    // Before discovery: whether the server's metadata can be read changes nothing about a sign-in that has ended.
    if (!canStartSilently && !tokens.renewable(record)) throw unrecoverable(challenge);
    const count = record === undefined ? MAX_UNDISCOVERED : countInARow(record);
    const cached = count < MAX_UNDISCOVERED ? provider.cached(record, challenge) : undefined;
    const { authorizationServer } = cached ?? (await provider.discover({ record, challenge }));
    const { issuer } = authorizationServer;
    if (!canStartSilently && !isSameIssuer(issuer, record?.issuer)) throw unrecoverable(challenge);
    if ((await tokens.renew(record)) === 'none') throw unrecoverable(challenge);
    const token = tokens.held?.accessToken;
    if (cached === undefined || token === undefined) undiscovered = undefined;
    else if (token !== undiscovered?.token) undiscovered = { token, count: count + 1 };
  };

  return {
    async headers({ url, method }) {
      // The credentials of this server go to no other origin, whatever the caller asks for.
      if (url.origin !== serverUrl.origin) return {};
      // Without waiting, if it need not be read or renewed: that is most requests.
      const record = tokens.ready ?? (await tokens.usable());
      if (record !== signedWith) {
        signedWith = record;
        lastAuthorization =
          record && hasTokenSyntax(record.accessToken) ? authorizationOf(record) : undefined;
      }
      const authorization = lastAuthorization;
      if (record === undefined || authorization === undefined) return {};
      if (record.tokenType === 'Bearer') return { authorization };
      return { authorization, dpop: await dpopKeys.prove({ url, method }, record.accessToken) };
    },
    onDpopNonce({ url, dpopNonce }) {
      dpopKeys.learnNonce(url, dpopNonce);
    },
    async onChallenge(challenge) {
      if (challenge.status === 401) {
        await recover(challenge);
        return 'retry';
      }
      const record = await tokens.reload();
      if (record === undefined || isRefused(record, challenge)) await onInsufficientScope(challenge, record);
      return 'retry';
    },
  };
}

/** Returns the value of the `Authorization` header for a token. */
export function authorizationOf({ accessToken, tokenType }: TokenRecord): string {
  return `${tokenType} ${accessToken}`;
}
