import {
  credentialIdentity,
  ProviderContext,
  TokenManager,
  type TokenRecord,
} from '@mcp-fittings/auth-oauth/toolkit';
import { type Clock, FittingsError, type ServerConfig, type TokenStore } from '@mcp-fittings/client-core';
import type { LoadedConfig } from '@mcp-fittings/config';
import { openStore, storeForReading } from './credential-store.js';
import type { ConfiguredHostOptions } from './configured-host.js';

/** Tells whether the user has signed in at an address. It reads the credential store and contacts no server. */
export interface SignInLookup extends AsyncDisposable {
  /** Resolves with whether an entry with the origin of `url` has a sign-in. */
  hasSignIn(url: string): Promise<boolean>;
}

/** Looks for the sign-ins of the entries of `loaded`: a sign-in belongs to an entry and not to an address. */
export function openSignInLookup(
  options: Pick<ConfiguredHostOptions, 'store' | 'home'> & { readonly clock: Clock },
  { entries }: Pick<LoadedConfig, 'entries'>,
): SignInLookup {
  const { store, close } = openStore(options);
  const readable = storeForReading(store, () => undefined);
  const known = entries.flatMap(({ name, config, definition, identity, id }) => {
    const url = config?.['url'] ?? definition?.['url'];
    if (typeof url !== 'string' || !URL.canParse(url)) return [];
    return [{ server: name, url, config: config ?? definition ?? {}, identity: identity ?? id }];
  });
  return {
    async hasSignIn(url) {
      const { origin } = new URL(url);
      for (const entry of known) {
        if (new URL(entry.url).origin !== origin) continue;
        try {
          if ((await storedToken({ ...entry, store: readable, clock: options.clock })) !== undefined)
            return true;
        } catch {
          // A record that cannot be read is not a usable sign-in.
        }
      }
      return false;
    },
    [Symbol.asyncDispose]: close,
  };
}

export interface StoredTokenOptions {
  readonly server: string;
  readonly url: string;
  readonly config: ServerConfig;
  /** Where the entry comes from: credentials belong to it. */
  readonly identity: string;
  readonly store: TokenStore;
  readonly clock: Clock;
}

/** Reads the token of one entry as the OAuth provider stores it. Does not refresh it. */
export async function storedToken(options: StoredTokenOptions): Promise<TokenRecord | undefined> {
  const { server, url, config, store, clock } = options;
  const identity = credentialIdentity({ name: server, config, identity: options.identity });
  const deps = new ProviderContext({ server, url, identity, store, clock });
  const manager = new TokenManager({
    server,
    store,
    key: deps.keyOf('oauth'),
    clock,
    logger: undefined,
    renewal: {
      possible: () => false,
      run: () =>
        Promise.reject(new FittingsError('AUTH_FAILED', 'A lookup does not refresh tokens.', { server })),
      onRefusal: 'ask',
    },
  });
  return manager.current();
}
