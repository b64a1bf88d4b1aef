import { type AuthPlugin, FittingsError } from '@mcp-fittings/client-core';
import {
  checkOptions,
  entrySchema,
  readEntry,
  text,
  flag,
  type OptionNames,
} from '@mcp-fittings/toolbox/entries';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { hasStaticCredentials } from '../config-entry.js';
import { createTokenExchangeProvider, type TokenExchangeOptions } from './token-exchange.js';

/** Options of {@link tokenExchange}, for all of its servers. */
export type TokenExchangePluginOptions = Pick<
  TokenExchangeOptions,
  'issuer' | 'clientId' | 'clientSecret' | 'clientKey' | 'actorToken' | 'dpop' | 'network'
> & {
  /**
   * The servers that get tokens, by their URLs, and what the issuer is asked for: a name of the server (`audience`), `scopes` (default:
   * those that the server demands), and its URL unless `resource` is false. An issuer may disregard the URL, and then every server
   * listed here gets tokens that are valid at the others.
   */
  readonly servers: Readonly<Record<string, Pick<TokenExchangeOptions, 'audience' | 'scopes' | 'resource'>>>;
  /**
   * As in {@link TokenExchangeOptions}. `principal` is the person whom the call of the host names, and `issuer` the authorization server
   * that gets the token: do not return one of another issuer.
   */
  readonly subjectToken: (user: {
    readonly principal: string | undefined;
    readonly issuer: string;
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
  servers: true,
  subjectToken: true,
};

const SERVER_OPTIONS: OptionNames<TokenExchangePluginOptions['servers'][string]> = {
  audience: true,
  scopes: true,
  resource: true,
};

/** The `oauth` member of a server's entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  authServerMetadataUrl: text({ minLength: 1 }),
});

/** With these, an entry of a project could collect tokens of users, or tokens for another server. */
const FORBIDDEN = [
  'issuer',
  'clientId',
  'clientSecret',
  'authorizationUrl',
  'tokenUrl',
  'audience',
  'scopes',
  'resource',
];

/**
 * Creates the auth plugin for servers whose entry has `oauth: { grant: "token_exchange" }`: it exchanges the token of the person who
 * called this program for tokens of the server, as {@link createTokenExchangeProvider} does. Put it before `oauth()` in the list of plugins.
 *
 * The issuer is reached as `network` says; `proxy`, `ca` and the like of an entry are for its server only.
 *
 * Throws `CONFIG_INVALID` for an invalid option. So does its `create` without a secret or key, for a server that is not in `servers`, and
 * for an entry that sets what the program decides.
 * @example
 * ```ts
 * const access = oauthResource({ resource, issuers: [issuer] });
 * const servers = { 'https://orders.example/mcp': {} };
 * const exchange = tokenExchange({ issuer, clientId, clientSecret, servers, subjectToken: access.callerToken });
 * const host = createHost({ name, version, transports: [http()], auth: [exchange, oauth({ clientName, store })] });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8693.html
 */
export function tokenExchange(options: TokenExchangePluginOptions): AuthPlugin {
  checkOptions('tokenExchange()', options, OPTIONS);
  const { servers, ...common } = options;
  const targets = targetsOf(servers);
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
      const target = targets.get(new URL(url).href);
      if (target === undefined) throw notListed(name);
      return createTokenExchangeProvider({
        ...common,
        ...target,
        url,
        server: name,
        logger,
        clock,
        endpoints: { metadataUrl: entry.authServerMetadataUrl },
        subjectToken: () => options.subjectToken({ principal, issuer: options.issuer }),
      });
    },
  };
}

function targetsOf(servers: TokenExchangePluginOptions['servers']) {
  if (!isRecord(servers)) {
    throw new FittingsError('CONFIG_INVALID', '"servers" of tokenExchange() must list servers by URL.');
  }
  const targets = Object.entries(servers).map(([url, target]) => {
    checkOptions('"servers" of tokenExchange()', target, SERVER_OPTIONS);
    if (!URL.canParse(url)) {
      throw new FittingsError(
        'CONFIG_INVALID',
        `"servers" of tokenExchange() lists "${url}", which is not a URL.`,
      );
    }
    return [new URL(url).href, target] as const;
  });
  return new Map(targets);
}

function notListed(server: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `"servers" of tokenExchange() does not list the URL of the server "${server}".`,
    { server, hint: 'Add the URL to "servers" in the program if this server may get tokens of users.' },
  );
}

function ofTheProgram(server: string, member: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" sets "oauth.${member}", which cannot be used with the grant "token_exchange".`,
    {
      server,
      hint: `Remove "oauth.${member}": tokenExchange() in the program says who gets which tokens of users.`,
    },
  );
}
