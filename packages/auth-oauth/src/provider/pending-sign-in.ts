import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import { textOf, textsOf } from '../discovery/documents.js';
import type { Departure } from '../flow/authorization-code.js';

/** A sign-in whose person is away, at the authorization server. The verifier in it is a secret until they come back. */
export interface PendingSignIn extends Departure {
  /** Key of the tokens that it is to end in: of one server, entry and person. */
  readonly entry: string;
  /** Where the answer has to come from. @see https://www.rfc-editor.org/rfc/rfc9207.html */
  readonly issuer: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly resource: string;
  readonly resourceMetadata: string | undefined;
  readonly dpop: boolean;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const keyOf = (state: string): string => `oauth-pending\n${state}`;

export async function leavePending(store: TokenStore, pending: PendingSignIn): Promise<void> {
  await store.set(keyOf(pending.state), { version: 1, ...pending });
}

/** Takes it out of the store, so that nobody can take it twice. Rejects with `AUTH_FAILED` or `TIMEOUT`. */
export async function takePending(
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
    // Refused when the lock was lost: then somebody else has it.
    await store.delete(key);
    return found;
  });
  if (pending === undefined) {
    throw new FittingsError('AUTH_FAILED', `No sign-in to "${server}" waits for this answer.`, {
      server,
      hint: 'It was used before, was started elsewhere, or is too old. Start the sign-in again.',
    });
  }
  if (pending.expiresAt <= now) {
    throw new FittingsError('TIMEOUT', `The sign-in to "${server}" took too long.`, {
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
    expiresAt: typeof expiresAt === 'number' ? expiresAt : 0,
  };
}
