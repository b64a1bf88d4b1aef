import {
  FittingsError,
  isRecord,
  type Clock,
  type StoredValue,
  type TokenStore,
} from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import { textOf, textsOf } from '../discovery/documents.js';
import type { Fetcher } from '../library-fetch.js';
import type { OAuthClient } from './client.js';
import { clientAuthOf, type ClientKey } from './client-auth.js';
import { checkIssuer, otherIssuer } from './pinned-issuer.js';
import { register, type Registration } from './register.js';

/** What the host and the person say about who we are. */
export interface ClientIdentity {
  /** Shown to the person by the authorization server. */
  readonly clientName: string;
  readonly clientUri?: string | undefined;
  /** Given by the owner of the authorization server. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientKey?: ClientKey | undefined;
  /**
   * The issuer that the configured client id belongs to. Default: the first that a secret or a key is used at, which is
   * remembered in the store; a client without either belongs to every issuer that the server names.
   */
  readonly clientIssuer?: string | undefined;
  /** https URL, with a path, of our Client ID Metadata Document. */
  readonly clientMetadataUrl?: string | undefined;
  /** Whether to register where there is no other way. Default `allow`. */
  readonly registration?: 'allow' | 'never' | undefined;
}

export interface FindClientParts {
  readonly identity: ClientIdentity;
  readonly network: Fetcher;
  readonly store: TokenStore;
  readonly server: string;
  readonly clock: Clock;
  /** Keys in the store, see the provider's context. */
  readonly keyOf: (kind: string) => string;
  /** Tells entries and people apart, see there. */
  readonly owner: string;
}

export interface FindClientRequest {
  readonly authorizationServer: AuthorizationServer;
  /** Absent where nobody is there to be redirected: an existing registration will do, none is made. */
  readonly redirectUri?: string | undefined;
  /** The client that a token was given to; any other one is of no use for it. */
  readonly clientId?: string | undefined;
  readonly scopes: readonly string[];
  /** Besides the usual ones, for a registration. */
  readonly grantTypes?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Finds out who we are to an authorization server: configured, by metadata document, or registered. */
export interface ClientFinder {
  find(request: FindClientRequest): Promise<OAuthClient | undefined>;
  /** The port of the redirect URI that is registered at this issuer: with another one, we would have to register again. */
  registeredPort(issuer: string): Promise<number | undefined>;
  /** The server does not know this registration any more. */
  forget(client: OAuthClient): Promise<void>;
}

export function createClientFinder(parts: FindClientParts): ClientFinder {
  const { identity, store, server, clock, owner } = parts;
  const keyOf = (issuer: string): string => `oauth-client\n${issuer}${owner}`;

  /** What proves who we are is shown to one issuer only. */
  const checkCredential = async (clientId: string, issuer: string, isSecret: boolean): Promise<void> => {
    if (!isSecret) return;
    const key = parts.keyOf(`oauth-issuer\n${clientId}`);
    await checkIssuer({ store, key, server, configured: identity.clientIssuer }, issuer);
  };

  const registered = (
    as: AuthorizationServer,
    { clientId, clientSecret, method }: Registration,
  ): OAuthClient => ({
    issuer: as.issuer,
    clientId,
    origin: 'registered',
    authenticate: clientAuthOf(as, { secret: clientSecret, method }),
  });

  const kept = async (issuer: string): Promise<readonly Registration[]> =>
    fromStored(await store.get(keyOf(issuer))).filter(
      ({ secretExpiresAt = Number.POSITIVE_INFINITY }) => secretExpiresAt > clock.now(),
    );

  const keep = (issuer: string, registrations: readonly Registration[]): Promise<void> =>
    store.set(keyOf(issuer), { version: 1, registrations: registrations.slice(0, MAX_KEPT) });

  /** One at a time for all that share the store, so that the second one finds what the first one made. */
  const findOrRegister = (
    { authorizationServer: as, scopes, grantTypes, signal }: FindClientRequest,
    redirectUri: string,
  ): Promise<Registration> =>
    store.withLock(keyOf(as.issuer), async () => {
      const known = await kept(as.issuer);
      const fitting = known.find((each) => fits(each, redirectUri, scopes));
      if (fitting !== undefined) return fitting;
      if (as.registration_endpoint === undefined || identity.registration === 'never') {
        throw unknownClient(server, as);
      }
      const made = await register({
        network: parts.network,
        server,
        authorizationServer: as,
        clientName: identity.clientName,
        clientUri: identity.clientUri,
        redirectUris: [redirectUri],
        grantTypes,
        scopes: scopes.length > 0 ? scopes : undefined,
        signal,
      });
      await keep(as.issuer, [made, ...known]);
      return made;
    });

  return {
    async find(request) {
      const { authorizationServer: as, redirectUri } = request;
      const { clientId, clientSecret, clientKey, clientIssuer, clientMetadataUrl } = identity;
      if (clientId !== undefined && (clientIssuer ?? as.issuer) === as.issuer) {
        await checkCredential(clientId, as.issuer, clientSecret !== undefined || clientKey !== undefined);
        const authenticate = clientAuthOf(as, { secret: clientSecret, key: clientKey });
        return { issuer: as.issuer, clientId, origin: 'configured', authenticate };
      }
      if (clientId !== undefined) throw otherIssuer(server, clientIssuer ?? '', as.issuer);
      if (clientMetadataUrl !== undefined && as.client_id_metadata_document_supported === true) {
        await checkCredential(clientMetadataUrl, as.issuer, clientKey !== undefined);
        const authenticate = clientAuthOf(as, { key: clientKey });
        return { issuer: as.issuer, clientId: clientMetadataUrl, origin: 'metadata-document', authenticate };
      }
      if (redirectUri !== undefined) return registered(as, await findOrRegister(request, redirectUri));
      const known = (await kept(as.issuer)).find(({ clientId: each }) => each === request.clientId);
      return known && registered(as, known);
    },
    async registeredPort(issuer) {
      const [newest] = await kept(issuer);
      const [uri] = newest?.redirectUris ?? [];
      const port = uri !== undefined && URL.canParse(uri) ? new URL(uri).port : '';
      return port === '' ? undefined : Number(port);
    },
    async forget({ issuer, clientId, origin }) {
      if (origin !== 'registered') return;
      await store.withLock(keyOf(issuer), async () => {
        await keep(
          issuer,
          (await kept(issuer)).filter((each) => each.clientId !== clientId),
        );
      });
    },
  };
}

/** A token may still belong to an older registration; more of them than this are of no use to anybody. */
const MAX_KEPT = 4;

/**
 * Letter by letter: RFC 8252 frees the port of a loopback redirect, and not every server has read it. And a client that
 * registered for some scopes is given no others.
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
    `${as.issuer} does not know this client and registers none by itself.`,
    {
      server,
      hint: 'Register it there by hand, and set "oauth.clientId" in the configuration of the server.',
    },
  );
}
