import type { Clock } from '@mcp-fittings/client-core';
import type { LoadedConfig } from '@mcp-fittings/config';
import { heldToken } from '../doctor/checks/token.js';
import { openStore } from './open-store.js';
import type { SessionOptions } from './session.js';
import { storeForReading } from './store-for-reading.js';

/** Tells whether the user has signed in at an address, from the credential store alone; nothing is contacted. */
export interface SignInLookup extends AsyncDisposable {
  hasSignIn(url: string): Promise<boolean>;
}

/** Looks in the entries of `loaded`: a sign-in belongs to an entry, and the question is whether there is one at this origin. */
export function openSignInLookup(
  options: Pick<SessionOptions, 'store' | 'home'> & { readonly clock: Clock },
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
          if ((await heldToken({ ...entry, store: readable, clock: options.clock })) !== undefined)
            return true;
        } catch {
          // A record that cannot be read is not a sign-in that could be shown.
        }
      }
      return false;
    },
    [Symbol.asyncDispose]: close,
  };
}
