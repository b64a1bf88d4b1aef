import type { LoadedConfig } from '@mcp-fittings/config';
import { openStore, storeForReading } from '../installed/credential-store.js';
import type { OpenHostOptions } from '../options.js';

/** Tells whether the user has signed in at an address. It reads the credential store and contacts no server. */
interface SignInLookup extends AsyncDisposable {
  /** Resolves with whether an entry with the origin of `url` has a sign-in. */
  hasSignIn(url: string): Promise<boolean>;
}

/** Looks for the sign-ins of the entries of `loaded`: a sign-in belongs to an entry and not to an address. */
export function openSignInLookup(
  options: Pick<OpenHostOptions, 'store'> & { readonly home: string },
  { entries }: Pick<LoadedConfig, 'entries'>,
): SignInLookup {
  const { store, close } = openStore(options);
  const readable = storeForReading(store, () => undefined);
  const known = entries.flatMap(({ name, config, definition, identity }) => {
    const url = config?.['url'] ?? definition?.['url'];
    if (identity === undefined || typeof url !== 'string' || !URL.canParse(url)) return [];
    return [{ name, origin: new URL(url).origin, config: config ?? definition ?? {}, identity }];
  });
  return {
    async hasSignIn(url) {
      const { readStoredSignIn } = await import('@mcp-fittings/auth-oauth');
      const { origin } = new URL(url);
      for (const entry of known) {
        if (entry.origin !== origin) continue;
        try {
          if ((await readStoredSignIn(entry, readable)) !== undefined) return true;
        } catch {
          // A record that cannot be read is not a usable sign-in.
        }
      }
      return false;
    },
    [Symbol.asyncDispose]: close,
  };
}
