import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { count, entrySchema, listOf, readEntry, required, text } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { IdentityProviderConfig } from './options.js';

/** The trusted scopes, lowest rank first. The others come with a project, a service or a command line. */
const TRUSTED = ['enterprise', 'user', 'managed'];

const SCHEMA = entrySchema({
  issuer: required(text({ minLength: 1 })),
  clientId: required(text({ minLength: 1 })),
  clientSecret: text({ minLength: 1 }),
  callbackPort: count({ min: 1, max: 65_535 }),
  scopes: listOf(text({ minLength: 1 })),
});

/**
 * Returns the identity provider that the configuration names, in `oauth.identityProvider` of an XAA entry of the user or the
 * company; the highest scope wins. Entries of a project are ignored, so that a project cannot redirect the company's sign-in.
 * Throws `CONFIG_INVALID` for an invalid entry, and when two entries of the same scope differ.
 * @example
 * const { entries } = await loadConfig();
 * const { settings } = identityProviderFromEntries(entries);
 * const plugin = settings && xaa({ identityProvider: settings, store, interaction });
 */
export function identityProviderFromEntries<
  Entry extends {
    /** Name of the server. */
    readonly name: string;
    /** Scope of the file; only `user`, `enterprise` and `managed` may name an identity provider. */
    readonly scope: string;
    /** The entry itself; undefined when it could not be read. */
    readonly config?: ServerConfig | undefined;
  },
>(
  entries: readonly Entry[],
): {
  /** The identity provider, for `xaa({ identityProvider })`. Undefined when no trusted entry names one. */
  readonly settings: IdentityProviderConfig | undefined;
  /** Entries that name an identity provider and are not trusted to. */
  readonly ignored: readonly Entry[];
} {
  const naming = entries.filter(({ config }) => identityProviderIn(config) !== undefined);
  const ignored = naming.filter(({ scope }) => !TRUSTED.includes(scope));
  const ranked = naming.filter((entry) => !ignored.includes(entry));
  const highest = TRUSTED.findLast((scope) => ranked.some((entry) => entry.scope === scope));
  const [first, ...others] = ranked
    .filter(({ scope }) => scope === highest)
    .map(({ name, config }) =>
      readEntry(SCHEMA, identityProviderIn(config), { server: name, member: 'oauth.identityProvider' }),
    );
  const other = others.find(
    ({ issuer, clientId }) => issuer !== first?.issuer || clientId !== first.clientId,
  );
  if (other !== undefined) {
    throw new FittingsError(
      'CONFIG_INVALID',
      'Two entries of the configuration name different identity providers.',
      {
        hint: 'Use the same identity provider in all entries.',
      },
    );
  }
  return { settings: first, ignored };
}

function identityProviderIn(config: ServerConfig | undefined): unknown {
  const oauth = config?.['oauth'];
  return isRecord(oauth) && oauth['xaa'] === true ? oauth['identityProvider'] : undefined;
}
