import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { isSameIssuer, textOf } from '../protocol/values.js';

/** Binds a client secret or key to one issuer. */
export interface IssuerBinding {
  readonly store: TokenStore;
  /** Key in the store of one credential of one entry. */
  readonly key: string;
  readonly server: string;
  /** The issuer that is configured with the credential; takes precedence over the stored one. */
  readonly configured: string | undefined;
}

/**
 * Allows a secret, or what is signed with a key, to go to one issuer only: the configured one, else the first one, which is
 * stored before anything is sent. Rejects with `AUTH_DISCOVERY_FAILED` if the server names another issuer.
 */
export async function checkIssuerBinding(
  { store, key, server, configured }: IssuerBinding,
  found: string,
): Promise<void> {
  if (configured !== undefined) {
    if (!isSameIssuer(found, configured)) throw issuerMismatch(server, configured, found);
    return;
  }
  const read = async (): Promise<string | undefined> => textOf((await store.get(key)) ?? {}, 'issuer');
  const bound =
    (await read()) ??
    (await store.withLock(key, async () => {
      const there = await read();
      if (there !== undefined) return there;
      await store.set(key, { version: 1, issuer: found });
      return found;
    }));
  if (!isSameIssuer(found, bound)) throw issuerMismatch(server, bound, found);
}

export function issuerMismatch(server: string, own: string, found: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The client credentials for "${server}" belong to ${own}, and the server now names ${found}.`,
    {
      server,
      hint: 'They are never sent to another authorization server. If it has moved, set "oauth.issuer" in the entry.',
      details: { reason: 'issuer' },
    },
  );
}
