import { FittingsError, isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { count, entrySchema, listOf, readEntry, required, text } from '@mcp-fittings/client-core/transport';
import type { IdentityProviderConfig } from './options.js';

/** What `loadConfig` of `@mcp-fittings/config` says of an entry, as far as it matters here. */
export interface ScopedEntry {
  readonly name: string;
  readonly scope: string;
  readonly file: string;
  readonly config?: ServerConfig | undefined;
}

export interface FoundIdentityProvider {
  /** Undefined when nobody who may say it says one. */
  readonly settings: IdentityProviderConfig | undefined;
  /** Entries that name one and may not. */
  readonly ignored: readonly ScopedEntry[];
}

/** Whose word counts, lowest rank first. Everything else comes with a project, a service or a command line. */
const TRUSTED = ['enterprise', 'user', 'managed'];

const SETTINGS = entrySchema({
  issuer: required(text({ minLength: 1 })),
  clientId: required(text({ minLength: 1 })),
  clientSecret: text({ minLength: 1 }),
  callbackPort: count({ min: 1, max: 65_535 }),
  scopes: listOf(text({ minLength: 1 })),
});

/**
 * The identity provider that the configuration names, in `oauth.identityProvider` of any XAA entry of the user or of the
 * company; the highest scope counts. A project can not move the sign-in of a company to somebody else. Throws
 * `CONFIG_INVALID` for a mistake, and for two that differ.
 */
export function identityProviderFromEntries(entries: readonly ScopedEntry[]): FoundIdentityProvider {
  const naming = entries.filter(({ config }) => namedIn(config) !== undefined);
  const ignored = naming.filter(({ scope }) => !TRUSTED.includes(scope));
  const ranked = naming.filter((entry) => !ignored.includes(entry));
  const highest = TRUSTED.findLast((scope) => ranked.some((entry) => entry.scope === scope));
  const [first, ...others] = ranked
    .filter(({ scope }) => scope === highest)
    .map(({ name, config }) =>
      readEntry(SETTINGS, namedIn(config), { server: name, member: 'oauth.identityProvider' }),
    );
  const other = others.find(
    ({ issuer, clientId }) => issuer !== first?.issuer || clientId !== first.clientId,
  );
  if (other !== undefined) {
    throw new FittingsError('CONFIG_INVALID', 'Two entries name different identity providers.', {
      hint: 'Name one identity provider for all of them.',
    });
  }
  return { settings: first, ignored };
}

function namedIn(config: ServerConfig | undefined): unknown {
  const oauth = config?.['oauth'];
  return isRecord(oauth) && oauth['xaa'] === true ? oauth['identityProvider'] : undefined;
}
