import {
  clientAuthentication,
  createProviderContext,
  type OAuthClient,
  type ProviderContext,
  findAuthorizationServer,
  type TokenRequest,
} from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import { abortable, isRecent } from '@mcp-fittings/toolbox/timing';
import type { AuthorizationServer } from 'oauth4webapi';
import { aborted } from '../errors.js';
import { ID_JAG } from '../id-jag/token-exchange.js';
import { checkIdentityProviderConfig, type IdentityProviderOptions } from './options.js';

/** After this time the metadata is read again: an endpoint may have moved. */
const CACHED_MS = 10 * 60_000;

/** Access to the identity provider, as the configured client. */
export class IdentityProviderConnection {
  readonly provider: ProviderContext;
  readonly issuer: string;
  readonly clientId: string;
  readonly #options: IdentityProviderOptions;
  #metadata: { readonly found: Promise<AuthorizationServer>; readonly readAt: number } | undefined;

  constructor(options: IdentityProviderOptions) {
    checkIdentityProviderConfig(options);
    const { issuer, clientId, store, network, clock, logger, principal } = options;
    const server = new URL(issuer).host;
    this.provider = createProviderContext({ url: issuer, server, store, network, clock, logger, principal });
    this.issuer = issuer;
    this.clientId = clientId;
    this.#options = options;
  }

  /** Prepares a request to its token endpoint. `server` is the name of the MCP server in messages. */
  async request({
    server = this.provider.server,
    idToken = false,
    signal,
  }: {
    readonly server?: string | undefined;
    readonly idToken?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {}): Promise<TokenRequest> {
    const { issuer, clientId } = this;
    const { clientSecret: secret, clientKey: key, clientAuthMethod: method } = this.#options;
    const authorizationServer = await abortable(this.#find(), signal, () => aborted(this.provider.server));
    const authenticate = clientAuthentication(authorizationServer, { secret, key, method });
    const client: OAuthClient = { issuer, clientId, origin: 'configured', authenticate };
    return { network: this.provider.network, server, authorizationServer, client, idToken, signal };
  }

  /** Resolves with the metadata of the identity provider, which is read once for all callers, and again when it is old or that failed. */
  #find(): Promise<AuthorizationServer> {
    const { clock } = this.provider;
    if (this.#metadata !== undefined && isRecent(this.#metadata.readAt, CACHED_MS, clock.now())) {
      return this.#metadata.found;
    }
    const found = this.#read().catch((error: unknown) => {
      this.#metadata = undefined;
      throw error;
    });
    this.#metadata = { found, readAt: clock.now() };
    return found;
  }

  async #read(): Promise<AuthorizationServer> {
    const { network, server } = this.provider;
    const found = await findAuthorizationServer({ network, server, issuer: this.issuer });
    if (found !== undefined) return assertIssuesIdJags(found);
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `The identity provider ${this.issuer} does not publish metadata.`,
      { hint: 'Check the issuer of the identity provider in your configuration.' },
    );
  }
}

/** A list without ID-JAG means that it does not issue them; no list means nothing. */
function assertIssuesIdJags(found: AuthorizationServer): AuthorizationServer {
  const types = found['identity_chaining_requested_token_types_supported'];
  if (!Array.isArray(types) || types.includes(ID_JAG)) return found;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The identity provider ${found.issuer} does not support cross-app access (ID-JAG).`,
    { hint: 'Ask its administrator to enable cross-app access.' },
  );
}
