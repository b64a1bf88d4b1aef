import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { textOf } from '../protocol/json.js';

export interface IssuerBinding {
  readonly store: TokenStore;
  /** Key in the store, of one credential of one entry. */
  readonly key: string;
  readonly server: string;
  /** The issuer that a person named beside the credential; goes before what is remembered. */
  readonly configured: string | undefined;
}

/**
 * Lets a secret, or what is signed with a key, go to one issuer only: the configured one, else the first that it was meant
 * for, which is remembered before anything is sent. Rejects with `AUTH_DISCOVERY_FAILED` when the server names another one.
 */
export async function checkIssuerBinding(
  { store, key, server, configured }: IssuerBinding,
  found: string,
): Promise<void> {
  if (configured !== undefined) {
    if (configured !== found) throw issuerMismatch(server, configured, found);
    return;
  }
  const read = async (): Promise<string | undefined> => textOf((await store.get(key)) ?? {}, 'issuer');
  const pinned =
    (await read()) ??
    (await store.withLock(key, async () => {
      const there = await read();
      if (there !== undefined) return there;
      await store.set(key, { version: 1, issuer: found });
      return found;
    }));
  if (pinned !== found) throw issuerMismatch(server, pinned, found);
}

export function issuerMismatch(server: string, own: string, found: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The client credentials for "${server}" belong to ${own}, and the server now names ${found}.`,
    {
      server,
      hint: 'They are never shown to another authorization server. If it has moved, set "oauth.issuer" in the entry.',
      details: { reason: 'issuer' },
    },
  );
}
