import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { PendingAuthorization } from '../authorization/authorization-code.js';
import { textOf, textsOf } from '../protocol/values.js';
import { absentWhenCorrupt } from '../tokens/corrupt-store.js';
import type { ProviderContext } from './provider-context.js';

/** A sign-in whose browser is at the authorization server. Its PKCE verifier is a secret until the browser comes back. */
export interface PendingSignIn extends PendingAuthorization {
  /** The issuer that has to answer. @see https://www.rfc-editor.org/rfc/rfc9207.html */
  readonly issuer: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly resource: string;
  readonly resourceMetadata: string | undefined;
  readonly dpop: boolean;
  readonly scopes: readonly string[];
  /** True if the server asked for more scopes than those of the last sign-in. */
  readonly stepUp: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Older ones of the same server, entry and person are given up, so that the value fits into every store. */
const MAX_WAITING = 32;

/**
 * Stores a sign-in until its browser comes back. Those of one server, entry and person are one value, so that each start finds the
 * expired ones and deletes them: a person who closes the browser leaves nothing behind for good.
 */
export async function savePendingSignIn(provider: ProviderContext, pending: PendingSignIn): Promise<void> {
  const { store, clock } = provider;
  const key = keyOf(provider);
  await store.withLock(key, async () => {
    const waiting = (await read(store, key)).filter(({ expiresAt }) => expiresAt > clock.now());
    await write(store, key, [...waiting, pending].slice(-MAX_WAITING));
  });
}

/** Takes a sign-in out of the store, so that it is completed at most once. Rejects with `AUTH_FAILED` or `TIMEOUT`. */
export async function takePendingSignIn(provider: ProviderContext, state: string): Promise<PendingSignIn> {
  const { store, server, clock } = provider;
  const key = keyOf(provider);
  const pending = await store.withLock(key, async () => {
    const waiting = await read(store, key);
    const found = waiting.find((each) => each.state === state);
    const others = waiting.filter((each) => each !== found);
    // Rejects if the lock was lost: another process has the sign-in then.
    if (found !== undefined) await write(store, key, others);
    return found;
  });
  if (pending === undefined) {
    throw new FittingsError('AUTH_FAILED', `No sign-in to "${server}" is waiting for this callback.`, {
      server,
      hint: 'It was completed before, was started with another store, or has expired. Start the sign-in again.',
    });
  }
  if (pending.expiresAt <= clock.now()) {
    throw new FittingsError('TIMEOUT', `The sign-in to "${server}" has expired.`, {
      server,
      hint: 'Start the sign-in again.',
    });
  }
  return pending;
}

function keyOf(provider: ProviderContext): string {
  return provider.keyOf('oauth-pending');
}

async function read(store: TokenStore, key: string): Promise<readonly PendingSignIn[]> {
  const value = await store.get(key).catch(absentWhenCorrupt);
  const waiting = value?.['version'] === 1 ? value['waiting'] : undefined;
  return Array.isArray(waiting) ? waiting.filter(isRecord).map(fromStored) : [];
}

function write(store: TokenStore, key: string, waiting: readonly PendingSignIn[]): Promise<void> {
  if (waiting.length === 0) return store.delete(key);
  // A store that deletes what has expired looks at this.
  const expiresAt = Math.max(...waiting.map((each) => each.expiresAt));
  return store.set(key, { version: 1, waiting, expiresAt });
}

function fromStored(value: StoredValue): PendingSignIn {
  const text = (name: keyof PendingSignIn): string => textOf(value, name) ?? '';
  const expiresAt = value['expiresAt'];
  return {
    state: text('state'),
    verifier: text('verifier'),
    nonce: textOf(value, 'nonce'),
    issuer: text('issuer'),
    redirectUri: text('redirectUri'),
    clientId: text('clientId'),
    resource: text('resource'),
    resourceMetadata: textOf(value, 'resourceMetadata'),
    dpop: value['dpop'] === true,
    scopes: textsOf(value, 'scopes') ?? [],
    stepUp: value['stepUp'] === true,
    expiresAt: typeof expiresAt === 'number' ? expiresAt : 0,
  };
}
