import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { AuthorizationServer } from 'oauth4webapi';
import { register, type Registration } from '../registration/dynamic-registration.js';
import { checkIssuerBinding, issuerMismatch } from '../registration/issuer-binding.js';
import { clientAuthentication, type OAuthClient } from '../tokens/token-endpoint.js';
import { isSameIssuer, textOf, textsOf, withoutRootSlash } from '../protocol/values.js';
import type { OAuthProviderOptions } from '../options.js';
import type { ProviderContext } from './provider-context.js';

/** The members that say which client the host is. */
export type OAuthClientOptions = Pick<
  OAuthProviderOptions,
  | 'clientName'
  | 'clientUri'
  | 'clientId'
  | 'clientSecret'
  | 'clientKey'
  | 'clientIssuer'
  | 'clientMetadataUrl'
  | 'registration'
>;

/** Describes the client that {@link ClientRegistry.find} looks for. */
export interface FindClientRequest {
  /** The authorization server that must know the client. */
  readonly authorizationServer: AuthorizationServer;
  /**
   * The redirect URI that must be registered. Without it no client is registered, and an existing registration is returned.
   */
  readonly redirectUri?: string | undefined;
  /** The client that a token was issued to, which is the only one that can refresh or revoke it. */
  readonly clientId?: string | undefined;
  /** Scopes that the client must be allowed to request. */
  readonly scopes: readonly string[];
  /** Grant types of a registration, besides authorization code and refresh token. */
  readonly grantTypes?: readonly string[] | undefined;
  /** Aborts a registration. */
  readonly signal?: AbortSignal | undefined;
}

/** Older registrations are kept because a token may belong to them. */
const MAX_KEPT = 4;

/** Knows which client the host is to each authorization server: configured, with a metadata document, or registered. */
export class ClientRegistry {
  readonly #provider: ProviderContext;
  readonly #options: OAuthClientOptions;
  readonly #store: TokenStore;

  /** `store` keeps registrations, and the issuer that a secret or key belongs to. */
  constructor(provider: ProviderContext, options: OAuthClientOptions, store = provider.store) {
    this.#provider = provider;
    this.#options = options;
    this.#store = store;
  }

  /**
   * Resolves with the client for an authorization server, and registers one if necessary; undefined if none fits. Rejects
   * with `AUTH_FAILED` if the server refuses to register the client, `AUTH_DISCOVERY_FAILED` if the configured client
   * belongs to another issuer.
   */
  async find(request: FindClientRequest): Promise<OAuthClient | undefined> {
    const { authorizationServer: as, redirectUri } = request;
    const { clientId, clientSecret, clientKey, clientIssuer, clientMetadataUrl } = this.#options;
    if (clientId !== undefined && isSameIssuer(as.issuer, clientIssuer ?? as.issuer)) {
      const isSecret = clientSecret !== undefined || clientKey !== undefined;
      if (isSecret) await this.#checkIssuer(clientId, as.issuer);
      const authenticate = clientAuthentication(as, { secret: clientSecret, key: clientKey });
      return { issuer: as.issuer, clientId, origin: 'configured', authenticate };
    }
    if (clientId !== undefined) throw issuerMismatch(this.#provider.server, clientIssuer ?? '', as.issuer);
    if (clientMetadataUrl !== undefined && as.client_id_metadata_document_supported === true) {
      if (clientKey !== undefined) await this.#checkIssuer(clientMetadataUrl, as.issuer);
      const authenticate = clientAuthentication(as, { key: clientKey });
      return { issuer: as.issuer, clientId: clientMetadataUrl, origin: 'metadata-document', authenticate };
    }
    if (redirectUri !== undefined) return asClient(as, await this.#findOrRegister(request, redirectUri));
    const known = (await this.#kept(as.issuer)).find(({ clientId: each }) => each === request.clientId);
    return known && asClient(as, known);
  }

  /** Resolves with the port of the redirect URI that is registered at an issuer. Another port takes another registration. */
  async registeredPort(issuer: string): Promise<number | undefined> {
    const [newest] = await this.#kept(issuer);
    const [uri] = newest?.redirectUris ?? [];
    const port = uri !== undefined && URL.canParse(uri) ? new URL(uri).port : '';
    return port === '' ? undefined : Number(port);
  }

  /** Deletes a registration that the authorization server no longer knows. Configured clients are kept. */
  async forget({ issuer, clientId, origin }: OAuthClient): Promise<void> {
    if (origin !== 'registered') return;
    await this.#store.withLock(this.#keyOf(issuer), async () => {
      const kept = await this.#kept(issuer);
      await this.#keep(
        issuer,
        kept.filter((each) => each.clientId !== clientId),
      );
    });
  }

  #keyOf(issuer: string): string {
    return `oauth-client\n${withoutRootSlash(issuer)}${this.#provider.owner}`;
  }

  /** A secret, or what is signed with a key, goes to one issuer only. */
  async #checkIssuer(clientId: string, issuer: string): Promise<void> {
    const { server } = this.#provider;
    const key = this.#provider.keyOf(`oauth-issuer\n${clientId}`);
    const configured = this.#options.clientIssuer;
    await checkIssuerBinding({ store: this.#store, key, server, configured }, issuer);
  }

  async #kept(issuer: string): Promise<readonly Registration[]> {
    const now = this.#provider.clock.now();
    const stored = fromStored(await this.#store.get(this.#keyOf(issuer)));
    return stored.filter(({ secretExpiresAt = Number.POSITIVE_INFINITY }) => secretExpiresAt > now);
  }

  #keep(issuer: string, registrations: readonly Registration[]): Promise<void> {
    const value = { version: 1, registrations: registrations.slice(0, MAX_KEPT) };
    return this.#store.set(this.#keyOf(issuer), value);
  }

  /** One process at a time, so that the second one finds the registration of the first. */
  #findOrRegister(
    { authorizationServer: as, scopes, grantTypes, signal }: FindClientRequest,
    redirectUri: string,
  ): Promise<Registration> {
    const { server, network } = this.#provider;
    const { registration, clientName, clientUri } = this.#options;
    return this.#store.withLock(this.#keyOf(as.issuer), async () => {
      const known = await this.#kept(as.issuer);
      const fitting = known.find((each) => fits(each, redirectUri, scopes));
      if (fitting !== undefined) return fitting;
      if (as.registration_endpoint === undefined || registration === 'never') throw unknownClient(server, as);
      const made = await register({
        network,
        server,
        authorizationServer: as,
        clientName,
        clientUri,
        redirectUris: [redirectUri],
        grantTypes,
        scopes: scopes.length > 0 ? scopes : undefined,
        signal,
      });
      await this.#keep(as.issuer, [made, ...known]);
      return made;
    });
  }
}

function asClient(as: AuthorizationServer, { clientId, clientSecret, method }: Registration): OAuthClient {
  const authenticate = clientAuthentication(as, { secret: clientSecret, method });
  return { issuer: as.issuer, clientId, origin: 'registered', authenticate };
}

/**
 * The redirect URI must match exactly: RFC 8252 leaves the port of a loopback redirect open, but not every server implements
 * that. A client that was registered for some scopes is not granted others.
 */
function fits(registration: Registration, redirectUri: string, scopes: readonly string[]): boolean {
  const { redirectUris, scopes: registered } = registration;
  return (
    redirectUris.includes(redirectUri) &&
    (registered === undefined || scopes.every((scope) => registered.includes(scope)))
  );
}

function fromStored(value: StoredValue | undefined): readonly Registration[] {
  const registrations = value?.['version'] === 1 ? value['registrations'] : undefined;
  return Array.isArray(registrations) ? registrations.flatMap(registrationOf) : [];
}

function registrationOf(value: unknown): readonly Registration[] {
  if (!isRecord(value)) return [];
  const clientId = textOf(value, 'clientId');
  const redirectUris = textsOf(value, 'redirectUris');
  if (clientId === undefined || redirectUris === undefined) return [];
  const expires = value['secretExpiresAt'];
  return [
    {
      clientId,
      redirectUris,
      scopes: textsOf(value, 'scopes'),
      clientSecret: textOf(value, 'clientSecret'),
      method: textOf(value, 'method'),
      secretExpiresAt: typeof expires === 'number' ? expires : undefined,
    },
  ];
}

function unknownClient(server: string, as: AuthorizationServer): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `${as.issuer} requires a registered client and does not support dynamic client registration.`,
    {
      server,
      hint: 'Register a client there, and set "oauth.clientId" in the entry of the server.',
    },
  );
}
