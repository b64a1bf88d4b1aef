import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import type { PendingAuthorization } from '../authorization/authorization-code.js';
import { textOf, textsOf } from '../protocol/values.js';

/** A sign-in whose browser is at the authorization server. Its PKCE verifier is a secret until the browser comes back. */
export interface PendingSignIn extends PendingAuthorization {
  /** Key in the store of the tokens that it will yield: of one server, entry and person. */
  readonly entry: string;
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

const keyOf = (state: string): string => `oauth-pending\n${state}`;

/** Stores a sign-in until its browser comes back. */
export async function savePendingSignIn(store: TokenStore, pending: PendingSignIn): Promise<void> {
  await store.set(keyOf(pending.state), { version: 1, ...pending });
}

/** Takes a sign-in out of the store, so that it is completed at most once. Rejects with `AUTH_FAILED` or `TIMEOUT`. */
export async function takePendingSignIn(
  store: TokenStore,
  state: string,
  entry: string,
  server: string,
  now: number,
): Promise<PendingSignIn> {
  const key = keyOf(state);
  const pending = await store.withLock(key, async () => {
    const found = fromStored(state, await store.get(key));
    if (found?.entry !== entry) return undefined;
    // Rejects if the lock was lost: another process has the sign-in then.
    await store.delete(key);
    return found;
  });
  if (pending === undefined) {
    throw new FittingsError('AUTH_FAILED', `No sign-in to "${server}" is waiting for this callback.`, {
      server,
      hint: 'It was completed before, was started with another store, or has expired. Start the sign-in again.',
    });
  }
  if (pending.expiresAt <= now) {
    throw new FittingsError('TIMEOUT', `The sign-in to "${server}" has expired.`, {
      server,
      hint: 'Start the sign-in again.',
    });
  }
  return pending;
}

function fromStored(state: string, value: StoredValue | undefined): PendingSignIn | undefined {
  if (value?.['version'] !== 1 || value['state'] !== state) return undefined;
  const text = (name: keyof PendingSignIn): string => textOf(value, name) ?? '';
  const expiresAt = value['expiresAt'];
  return {
    state,
    verifier: text('verifier'),
    nonce: textOf(value, 'nonce'),
    entry: text('entry'),
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
