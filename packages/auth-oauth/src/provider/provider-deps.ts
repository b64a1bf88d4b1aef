import { createHash } from 'node:crypto';
import {
  systemClock,
  type AuthChallenge,
  type Clock,
  type Logger,
  type TokenStore,
} from '@mcp-fittings/client-core/auth';
import { createIdleHttpClient } from '@mcp-fittings/http-client';
import type { DPoPHandle } from 'oauth4webapi';
import { discoverExcept } from '../discovery/discover.js';
import type { BrowserTargetPolicy } from '../discovery/endpoint-policy.js';
import { createFailedIssuers } from '../discovery/failed-issuers.js';
import type { Fetcher } from '../protocol/guarded-fetch.js';
import { forReplaceable } from '../tokens/corrupt-store.js';
import { createDPoPKeys, type DPoPKeys } from '../tokens/dpop-keys.js';
import type { TokenRecordOptions, TokenRecord } from '../tokens/token-record.js';
import {
  cacheableMetadata,
  isStillValid,
  restoreDiscovery,
  type CachedDiscovery,
} from './cached-discovery.js';
import type { TokenProviderOptions } from './options.js';

/**
 * What the modules of one provider share: where its server is, where its tokens are kept, and how to discover its
 * authorization server.
 */
export interface ProviderDeps {
  /** Name of the server, for messages and for the person who signs in. */
  readonly server: string;
  /** URL of the MCP server; `ws:` and `wss:` URLs in their `http:` and `https:` form. */
  readonly serverUrl: URL;
  /** Keeps tokens, registrations and DPoP keys. */
  readonly store: TokenStore;
  /** Sends every request to the MCP server's metadata and to the authorization server. */
  readonly network: Fetcher;
  /** Time source for expiry, waiting and caching. */
  readonly clock: Clock;
  /** Receives warnings, for example about tokens that could not be revoked. */
  readonly logger: Logger | undefined;
  /** The key that DPoP-bound tokens of this server are bound to. */
  readonly dpopKeys: DPoPKeys;
  /** Returns the key in the store for one kind of value (`oauth`, `dpop`) of this server, entry and person. */
  readonly keyOf: (kind: string) => string;
  /**
   * Suffix of those keys that separates entries and people; empty if neither `identity`, `principal` nor `endpoints` is
   * set.
   */
  readonly owner: string;
  /** Which pages the server may send the person's browser to. */
  readonly browserTargets: BrowserTargetPolicy;
  /** Forgets which authorization servers failed recently, because a person has asked for a sign-in. */
  retryFailedIssuers(): void;
  /**
   * Discovers the authorization server. Without a challenge, the protected resource metadata is read where it was found
   * before. Rejects with `AUTH_DISCOVERY_FAILED` or the codes of the network.
   */
  discover(search: DiscoverySearch): Promise<CachedDiscovery>;
  /**
   * Returns the last discovery, of this process or of the process that recorded the token. Undefined if none exists, it is
   * older than ten minutes, or `challenge` contradicts it. Sends no request.
   */
  cached(record: TokenRecord | undefined, challenge?: AuthChallenge): CachedDiscovery | undefined;
  /** Returns the `resource` parameter of token requests; undefined if the option `resource` is false. */
  resourceFor(discovered: Pick<CachedDiscovery, 'resource'>): string | undefined;
  /** Resolves with the key to bind a new token to; undefined for a bearer token. */
  dpopKeyFor(discovered: CachedDiscovery): Promise<DPoPHandle | undefined>;
}

/** What a discovery starts from. */
export interface DiscoverySearch {
  /** The held token, whose issuer is preferred if the server names several; undefined if none exists. */
  readonly record: Pick<TokenRecord, 'issuer' | 'resourceMetadata' | 'tokenType'> | undefined;
  /** The refusal that caused the discovery. */
  readonly challenge?: AuthChallenge | undefined;
  /** Aborts the requests; they reject with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates what a provider of one MCP server shares between its token manager, client registry and grants. Throws for an invalid
 * `url`.
 * @example
 * ```ts
 * const provider = createProviderDeps({ url: 'https://mcp.example.com/mcp', store: memoryStore() });
 * const { authorizationServer } = await provider.discover({ record: undefined, challenge });
 * ```
 */
export function createProviderDeps(options: TokenProviderOptions): ProviderDeps {
  const { store, logger, clock = systemClock, dpop = 'auto' } = options;
  const serverUrl = asHttp(new URL(options.url));
  const server = options.server ?? serverUrl.host;
  const owner = ownerOf(options);
  const keyOf = (kind: string): string =>
    `${kind}\n${serverUrl.origin}${serverUrl.pathname}${serverUrl.search}${owner}`;
  const dpopKeys = createDPoPKeys(forReplaceable(store), keyOf('dpop'));
  const network = networkOf(options, serverUrl, server, clock);
  const failed = createFailedIssuers(clock);
  const browserTargets = { serverUrl, allowed: allowedAddresses(options) };
  let found: CachedDiscovery | undefined;
  const policy = {
    server,
    serverUrl,
    allowedEndpointOrigins: options.allowedEndpointOrigins,
    allowAddresses: browserTargets.allowed,
  };
  const areConfigured = Object.values(options.endpoints ?? {}).some((endpoint) => endpoint !== undefined);

  return {
    server,
    serverUrl,
    store,
    network,
    clock,
    logger,
    dpopKeys,
    keyOf,
    owner,
    browserTargets,
    retryFailedIssuers: () => failed.clear(),
    async discover({ record, challenge, signal }) {
      const discovered = await discoverExcept(failed, {
        ...policy,
        network,
        challenge,
        signal,
        configured: options.endpoints,
        resourceMetadata: found?.resourceMetadata ?? record?.resourceMetadata,
        preferredIssuer: record?.issuer,
      });
      // A challenge that demanded DPoP still counts when there is no challenge.
      const bound = record?.tokenType === 'DPoP' || (challenge === undefined && found?.dpopRequired === true);
      found = { ...discovered, dpopRequired: discovered.dpopRequired || bound, foundAt: clock.now() };
      return found;
    },
    cached(record, challenge) {
      const restored = record && !areConfigured ? restoreDiscovery(record, policy, clock.now()) : undefined;
      if (restored !== undefined && (found === undefined || restored.foundAt > found.foundAt)) {
        found = restored;
      }
      if (found === undefined || challenge === undefined) return found;
      return isStillValid(found, record, challenge, clock.now()) ? found : undefined;
    },
    resourceFor: ({ resource }) => (options.resource === false ? undefined : resource),
    async dpopKeyFor({ dpopRequired, authorizationServer }) {
      const supported = authorizationServer.dpop_signing_alg_values_supported?.includes('ES256') === true;
      return dpopRequired || (dpop === 'always' && supported) ? dpopKeys.handle() : undefined;
    },
  };
}

/** Returns what the record of a token holds besides the token response. */
export function tokenRecordOptions(
  { server, clock }: ProviderDeps,
  discovered: CachedDiscovery,
  clientId: string,
  requested: readonly string[],
): TokenRecordOptions {
  const { authorizationServer, resource, resourceMetadata } = discovered;
  return {
    server,
    issuer: authorizationServer.issuer,
    tokenEndpoint: authorizationServer.token_endpoint ?? '',
    resource,
    clientId,
    resourceMetadata,
    requested,
    metadata: cacheableMetadata(discovered),
    now: clock.now(),
  };
}

/** The identity of an entry already covers its endpoints. */
function ownerOf({ identity, principal, endpoints = {} }: TokenProviderOptions): string {
  const { authorizationUrl, tokenUrl, metadataUrl } = endpoints;
  const configured = identity === undefined ? [authorizationUrl, tokenUrl, metadataUrl] : [identity];
  const values = [principal, ...configured];
  if (values.every((value) => value === undefined)) return '';
  return `\n${digestOf(values.map((value) => value ?? null))}`;
}

/** A ready-made network does not expose the addresses that it allows. */
function allowedAddresses({ network }: TokenProviderOptions): readonly string[] | undefined {
  return network === undefined || 'fetch' in network ? undefined : network.allowAddresses;
}

function networkOf(
  { network, logger }: TokenProviderOptions,
  url: URL,
  server: string,
  clock: Clock,
): Fetcher {
  if (network !== undefined && 'fetch' in network) return network;
  return createIdleHttpClient({ ...network, url, server, clock, logger }, clock);
}

/**
 * A WebSocket starts as an HTTP request, and is discovered and signed as one.
 * @see https://www.rfc-editor.org/rfc/rfc6455.html#section-1.7
 */
function asHttp(url: URL): URL {
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? new URL(url.href.replace(/^ws/, 'http')) : url;
}

/** Returns a short digest of values, the same in every process. */
export function digestOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}
