import type { AuthChallenge, AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/toolbox/timing';
import { hasTokenSyntax, isSameIssuer, parseOAuthChallenge } from '../protocol/values.js';
import type { TokenManager } from '../tokens/token-manager.js';
import { authorizationOf, isAlive, type TokenRecord } from '../tokens/token-record.js';
import type { ProviderContext } from './provider-context.js';

/** Actions of a scheme where {@link TokenProvider} cannot recover. */
export interface Recovery {
  /** True if the first token can be obtained without a person, once discovery has found the authorization server. */
  readonly canStartSilently: boolean;
  /** Returns the error to throw when no new token can be obtained after a 401; `refusal` is why a renewal was refused. */
  readonly onUnrecoverable: (challenge: AuthChallenge, refusal: FittingsError | undefined) => FittingsError;
  /** Handles a 403 for a token that is valid but lacks a scope: resolves when there is a better token, or throws. */
  readonly onInsufficientScope: (challenge: AuthChallenge, record: TokenRecord | undefined) => Promise<void>;
}

/** A token that is refused within this time of being issued never worked, milliseconds. */
const NEW_MS = 10_000;
/** After this many such tokens in a row the cached metadata is not trusted: the right authorization server may be another. */
const MAX_UNDISCOVERED = 2;

/** The part of an auth provider that never involves a person: it signs requests and recovers from refusals. */
export class TokenProvider {
  readonly #provider: ProviderContext;
  readonly #tokens: TokenManager;
  readonly #recovery: Recovery;
  /** The record that signed the last request, and its header value; undefined if the token cannot be put into a header. */
  #signedWith: TokenRecord | undefined;
  #authorization: string | undefined;
  /** The last token obtained without discovery, and how many such tokens in a row were refused right away. */
  #undiscovered: { readonly token: string; readonly count: number } | undefined;

  constructor(provider: ProviderContext, tokens: TokenManager, recovery: Recovery) {
    this.#provider = provider;
    this.#tokens = tokens;
    this.#recovery = recovery;
  }

  /** As {@link AuthProvider.headers}. */
  async headers({ url, method }: Parameters<AuthProvider['headers']>[0]): Promise<Record<string, string>> {
    const { serverUrl, dpopKeys } = this.#provider;
    // The credentials of this server go to no other origin, whatever the caller asks for.
    if (url.origin !== serverUrl.origin) return {};
    // Without waiting, if it need not be read or renewed: that is most requests.
    const record = this.#tokens.ready ?? (await this.#tokens.usable());
    if (record !== this.#signedWith) {
      this.#signedWith = record;
      this.#authorization =
        record && hasTokenSyntax(record.accessToken) ? authorizationOf(record) : undefined;
    }
    const authorization = this.#authorization;
    if (record === undefined || authorization === undefined) return {};
    if (record.tokenType === 'Bearer') return { authorization };
    return { authorization, dpop: await dpopKeys.prove({ url, method }, record) };
  }

  /** As {@link AuthProvider.onDpopNonce}. */
  onDpopNonce({ url, dpopNonce }: { readonly url: URL; readonly dpopNonce: string }): void {
    this.#provider.dpopKeys.learnNonce(url, dpopNonce);
  }

  /** As {@link AuthProvider.onChallenge}. */
  async onChallenge(challenge: AuthChallenge): Promise<'retry'> {
    if (challenge.status === 401) {
      await this.#recover(challenge);
      return 'retry';
    }
    const record = await this.#tokens.reload();
    if (record === undefined || this.#isRefused(record, challenge)) {
      await this.#recovery.onInsufficientScope(challenge, record);
    }
    return 'retry';
  }

  /** 401: another process may have stored a newer token, or the authorization server issues one. */
  async #recover(challenge: AuthChallenge): Promise<void> {
    const { dpopKeys, discovery } = this.#provider;
    const { canStartSilently } = this.#recovery;
    const tokens = this.#tokens;
    const { dpopNonce } = challenge;
    if (dpopNonce !== undefined && parseOAuthChallenge(challenge).error === 'use_dpop_nonce') {
      return dpopKeys.learnNonce(challenge.url, dpopNonce);
    }
    let record = await tokens.current();
    if (record === undefined || this.#isRefused(record, challenge)) record = await tokens.reload();
    if (record !== undefined && !this.#isRefused(record, challenge)) return;
    // Before discovery: whether the server's metadata can be read changes nothing about a sign-in that has ended.
    if (!canStartSilently && !tokens.renewable(record)) throw this.#unrecoverable(challenge);
    const count = record === undefined ? MAX_UNDISCOVERED : this.#undiscoveredBefore(record);
    const cached = count < MAX_UNDISCOVERED ? discovery.cached(record, challenge) : undefined;
    const { authorizationServer } = cached ?? (await discovery.discover({ record, challenge }));
    const { issuer } = authorizationServer;
    if (!canStartSilently && !isSameIssuer(issuer, record?.issuer)) throw this.#unrecoverable(challenge);
    if ((await tokens.renew(record)) === 'none') throw this.#unrecoverable(challenge);
    const token = tokens.held?.accessToken;
    if (cached === undefined || token === undefined) this.#undiscovered = undefined;
    else if (token !== this.#undiscovered?.token) this.#undiscovered = { token, count: count + 1 };
  }

  /** A challenge that does not name the refused credential is about the last one sent. An expired token helps as little. */
  #isRefused(record: TokenRecord, { refused = this.#authorization }: AuthChallenge): boolean {
    return refused === authorizationOf(record) || !isAlive(record, this.#provider.clock.now());
  }

  #unrecoverable(challenge: AuthChallenge): FittingsError {
    return this.#recovery.onUnrecoverable(challenge, this.#tokens.refusal);
  }

  /** Returns how many tokens in a row, up to this one, were obtained without discovery and refused right away. */
  #undiscoveredBefore(record: TokenRecord): number {
    const isNew = isRecent(record.obtainedAt, NEW_MS, this.#provider.clock.now());
    return isNew && record.accessToken === this.#undiscovered?.token ? this.#undiscovered.count : 0;
  }
}
