import { type AuthPlugin, FittingsError } from '@mcp-fittings/client-core';
import {
  checkOptions,
  entrySchema,
  listOf,
  readEntry,
  text,
  flag,
  type OptionNames,
} from '@mcp-fittings/toolbox/entries';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { hasStaticCredentials, networkFor } from '../config-entry.js';
import { createTokenExchangeProvider, type TokenExchangeOptions } from './token-exchange.js';

/** Options of {@link tokenExchange}, for all of its servers. */
export type TokenExchangePluginOptions = Pick<
  TokenExchangeOptions,
  'issuer' | 'clientId' | 'clientSecret' | 'clientKey' | 'actorToken' | 'dpop' | 'network'
> & {
  /** As in {@link TokenExchangeOptions}. `principal` is the person whom the call of the host names. */
  readonly subjectToken: (user: {
    readonly principal: string | undefined;
  }) => ReturnType<TokenExchangeOptions['subjectToken']>;
};

const OPTIONS: OptionNames<TokenExchangePluginOptions> = {
  issuer: true,
  clientId: true,
  clientSecret: true,
  clientKey: true,
  actorToken: true,
  dpop: true,
  network: true,
  subjectToken: true,
};

/** The `oauth` member of a server's entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  audience: text({ minLength: 1 }),
  scopes: listOf(text({ minLength: 1 })),
  resource: flag(),
  authServerMetadataUrl: text({ minLength: 1 }),
});

/** With these, an entry of a project could collect the tokens of users. */
const FORBIDDEN = ['issuer', 'clientId', 'clientSecret', 'authorizationUrl', 'tokenUrl'];

/**
 * Creates the auth plugin for servers whose entry has `oauth: { grant: "token_exchange" }`: it exchanges the token of the person who
 * called this program for tokens of the server, as {@link createTokenExchangeProvider} does. Put it before `oauth()` in the list of plugins.
 *
 * Throws `CONFIG_INVALID` for an unknown option. So does its `create` without a secret or key, and for an entry that sets the client or
 * an endpoint.
 * @example
 * ```ts
 * const access = oauthResource({ resource, issuers: [issuer] });
 * const exchange = tokenExchange({ issuer, clientId, clientSecret, subjectToken: access.callerToken });
 * const host = createHost({ name, version, transports: [http()], auth: [exchange, oauth({ clientName, store })] });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8693.html
 */
export function tokenExchange(options: TokenExchangePluginOptions): AuthPlugin {
  checkOptions('tokenExchange()', options, OPTIONS);
  return {
    specVersion: 1,
    scheme: 'token-exchange',
    separatesPrincipals: true,
    create({ name, config, principal }, { logger, clock }) {
      const { url, oauth } = config;
      if (!isRecord(oauth) || oauth['grant'] !== 'token_exchange') return undefined;
      if (typeof url !== 'string' || !URL.canParse(url) || isSocketUrl(url)) return undefined;
      const entry = readEntry(OAUTH, oauth, { server: name, member: 'oauth' });
      if (entry.enabled === false || hasStaticCredentials(config)) return undefined;
      const forbidden = FORBIDDEN.find((member) => oauth[member] !== undefined);
      if (forbidden !== undefined) throw ofTheProgram(name, forbidden);
      return createTokenExchangeProvider({
        ...options,
        network: networkFor(config, name, options.network),
        url,
        server: name,
        logger,
        clock,
        endpoints: { metadataUrl: entry.authServerMetadataUrl },
        audience: entry.audience,
        scopes: entry.scopes,
        resource: entry.resource,
        subjectToken: () => options.subjectToken({ principal }),
      });
    },
  };
}

function ofTheProgram(server: string, member: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" sets "oauth.${member}", which cannot be used with the grant "token_exchange".`,
    { server, hint: `Remove "oauth.${member}": tokens of users are sent where tokenExchange() says.` },
  );
}
