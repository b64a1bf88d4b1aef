import type { AuthChallenge, AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { readChallenge } from '../discovery/challenge.js';
import { isSendable } from '../tokens/sendable.js';
import type { TokenKeeper } from '../tokens/token-keeper.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { isAlive } from '../tokens/token-response.js';
import type { ProviderContext } from './context.js';

/** The silent half of a provider: signing requests, and recovering from refusals. */
export type SilentProvider = Required<Pick<AuthProvider, 'headers' | 'onChallenge' | 'onDpopNonce'>>;

export interface TokenProviderParts {
  readonly context: ProviderContext;
  readonly keeper: TokenKeeper;
  /** A first token can be had without a person, once the server says where. */
  readonly startsAlone: boolean;
  /** The error when a 401 can not be helped from here. */
  readonly exhausted: (challenge: AuthChallenge) => FittingsError;
  /** A 403: the token does not reach far enough. Settles when there is a better one, or throws. */
  readonly widen: (challenge: AuthChallenge, record: TokenRecord | undefined) => Promise<void>;
}

export function createTokenProvider(parts: TokenProviderParts): SilentProvider {
  const { context, keeper, startsAlone, exhausted, widen } = parts;
  let given: string | undefined;

  /** Without a word on what was refused, it was what this provider gave last. What has expired is not sent, and helps as little. */
  const isRefused = (record: TokenRecord, { refused = given }: AuthChallenge): boolean =>
    refused === authorizationOf(record) || !isAlive(record, context.clock.now());

  /** 401: somebody else may have a newer token, or we can get one; the authorization server may have moved. */
  const recover = async (challenge: AuthChallenge): Promise<void> => {
    const { dpopNonce } = challenge;
    if (dpopNonce !== undefined && readChallenge(challenge).error === 'use_dpop_nonce') {
      return context.proofs.learn(challenge.url, dpopNonce);
    }
    let record = await keeper.current();
    if (record === undefined || isRefused(record, challenge)) record = await keeper.reload();
    if (record !== undefined && !isRefused(record, challenge)) return;
    // No discovery: whether the server's metadata can be reached changes nothing about a sign-in that has ended.
    if (!startsAlone && !keeper.renewable(record)) throw exhausted(challenge);
    const { authorizationServer } = await context.find({ record, challenge });
    if (!startsAlone && authorizationServer.issuer !== record?.issuer) throw exhausted(challenge);
    if ((await keeper.renew(record)) === 'none') throw exhausted(challenge);
  };

  return {
    async headers({ url, method }) {
      // Whoever asks: what belongs to this server goes nowhere else.
      if (url.origin !== context.serverUrl.origin) return {};
      const record = await keeper.usable();
      given = record && isSendable(record.accessToken) ? authorizationOf(record) : undefined;
      if (record === undefined || given === undefined) return {};
      if (record.tokenType === 'Bearer') return { authorization: given };
      return { authorization: given, dpop: await context.proofs.prove({ url, method }, record.accessToken) };
    },
    onDpopNonce({ url, dpopNonce }) {
      context.proofs.learn(url, dpopNonce);
    },
    async onChallenge(challenge) {
      if (challenge.status === 401) {
        await recover(challenge);
        return 'retry';
      }
      const record = await keeper.reload();
      if (record === undefined || isRefused(record, challenge)) await widen(challenge, record);
      return 'retry';
    },
  };
}

export function authorizationOf({ accessToken, tokenType }: TokenRecord): string {
  return `${tokenType} ${accessToken}`;
}
