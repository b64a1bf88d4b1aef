import {
  isRecent,
  type AuthChallenge,
  type AuthProvider,
  type FittingsError,
} from '@mcp-fittings/client-core/auth';
import { readChallenge } from '../discovery/challenge.js';
import { isSendable } from '../tokens/sendable.js';
import type { TokenManager } from '../tokens/token-manager.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { isAlive } from '../tokens/token-response.js';
import type { ProviderDeps } from './context.js';

/** The silent half of a provider: signing requests, and recovering from refusals. */
export type SilentProvider = Required<Pick<AuthProvider, 'headers' | 'onChallenge' | 'onDpopNonce'>>;

/** A token that is refused so soon was of no use from the start. */
const NEW_MS = 10_000;
/** So many such tokens of a server that is known are an answer: the right one may be another. */
const MAX_UNDISCOVERED = 2;

export interface TokenProviderParts {
  readonly context: ProviderDeps;
  readonly keeper: TokenManager;
  /** A first token can be had without a person, once the server says where. */
  readonly startsAlone: boolean;
  /** The error when a 401 can not be helped from here. */
  readonly exhausted: (challenge: AuthChallenge) => FittingsError;
  /** A 403: the token does not reach far enough. Settles when there is a better one, or throws. */
  readonly widen: (challenge: AuthChallenge, record: TokenRecord | undefined) => Promise<void>;
}

export function createTokenProvider(parts: TokenProviderParts): SilentProvider {
  const { context, keeper, startsAlone, exhausted, widen } = parts;
  /** What was signed with last, and its value for the header; undefined for a token that cannot be sent. */
  let signedWith: TokenRecord | undefined;
  let given: string | undefined;
  /** The token that was got last without discovery, and how many in a row were, each refused as soon as it was there. */
  let undiscovered: { readonly token: string; readonly count: number } | undefined;

  const inARow = (record: TokenRecord): number => {
    const isNew = isRecent(record.obtainedAt, NEW_MS, context.clock.now());
    return isNew && record.accessToken === undiscovered?.token ? undiscovered.count : 0;
  };

  /** Without a word on what was refused, it was what this provider gave last. What has expired is not sent, and helps as little. */
  const isRefused = (record: TokenRecord, { refused = given }: AuthChallenge): boolean =>
    refused === authorizationOf(record) || !isAlive(record, context.clock.now());

  /** 401: somebody else may have a newer token, or we can get one where the last one came from. */
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
    const count = record === undefined ? MAX_UNDISCOVERED : inARow(record);
    const known = count < MAX_UNDISCOVERED ? context.known(record, challenge) : undefined;
    const { authorizationServer } = known ?? (await context.find({ record, challenge }));
    if (!startsAlone && authorizationServer.issuer !== record?.issuer) throw exhausted(challenge);
    if ((await keeper.renew(record)) === 'none') throw exhausted(challenge);
    const token = keeper.held?.accessToken;
    if (known === undefined || token === undefined) undiscovered = undefined;
    else if (token !== undiscovered?.token) undiscovered = { token, count: count + 1 };
  };

  return {
    async headers({ url, method }) {
      // Whoever asks: what belongs to this server goes nowhere else.
      if (url.origin !== context.serverUrl.origin) return {};
      const record = await keeper.usable();
      if (record !== signedWith) {
        signedWith = record;
        given = record && isSendable(record.accessToken) ? authorizationOf(record) : undefined;
      }
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
