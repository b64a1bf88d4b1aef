import type { Clock, Logger, TokenStore } from '@mcp-fittings/client-core';
import { hashText } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { DPoPHandle } from 'oauth4webapi';
import type { MetadataPolicy } from '../discovery/accepted-metadata.js';
import type { CachedDiscovery } from '../discovery/discover.js';
import type { Fetcher } from '../protocol/endpoint.js';
import { forReplaceable } from '../tokens/corrupt-store.js';
import { DPoPKeys } from '../tokens/dpop-keys.js';
import { type Renewal, TokenManager } from '../tokens/token-manager.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { DiscoveryCache } from './discovery-cache.js';
import type { TokenProviderOptions } from '../options.js';
import type { Platform } from '../platform.js';

/**
 * Shares the server, the store and the discovery of the authorization server among the modules of one provider. Throws for an invalid
 * `url`.
 */
export class ProviderContext {
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
  /** Decides where the server may send the person's browser and credentials to. */
  readonly policy: MetadataPolicy;
  /** The authorization server, as far as it is known. */
  readonly discovery: DiscoveryCache;
  /**
   * Suffix of keys in the store that separates entries and people; empty if neither `identity`, `principal` nor `endpoints`
   * is set.
   */
  readonly owner: string;
  readonly #dpop: 'auto' | 'always';
  readonly #platform: Platform;

  constructor(options: TokenProviderOptions, platform: Platform) {
    const { store, logger, clock = systemClock, dpop = 'auto' } = options;
    this.serverUrl = asHttp(new URL(options.url));
    this.server = options.server ?? this.serverUrl.host;
    this.store = store;
    this.clock = clock;
    this.logger = logger;
    this.network = networkOf(options, this, platform);
    this.owner = ownerOf(options);
    this.dpopKeys = new DPoPKeys(forReplaceable(store), this.keyOf('dpop'));
    this.policy = {
      server: this.server,
      serverUrl: this.serverUrl,
      allowedEndpointOrigins: options.allowedEndpointOrigins,
      allowAddresses: allowedAddresses(options),
    };
    this.discovery = new DiscoveryCache({
      network: this.network,
      clock,
      policy: this.policy,
      configured: options.endpoints,
      sendsResource: options.resource !== false,
    });
    this.#dpop = dpop;
    this.#platform = platform;
  }

  /** Returns the key in the store for one kind of value (`oauth`, `dpop`) of this server, entry and person. */
  keyOf(kind: string): string {
    const { origin, pathname, search } = this.serverUrl;
    return `${kind}\n${origin}${pathname}${search}${this.owner}`;
  }

  /** Creates what holds and renews the token of one kind. `accepts` returns whether a stored token may still be used; default: every token. */
  createTokenManager(kind: string, renewal: Renewal, accepts?: (held: TokenRecord) => boolean): TokenManager {
    const { server, store, clock, logger } = this;
    const { marks } = this.#platform;
    return new TokenManager({ server, store, key: this.keyOf(kind), clock, logger, marks, renewal, accepts });
  }

  /** Resolves with the key to bind a new token to; undefined for a bearer token. */
  async dpopKeyFor({ dpopRequired, authorizationServer }: CachedDiscovery): Promise<DPoPHandle | undefined> {
    const supported = authorizationServer.dpop_signing_alg_values_supported?.includes('ES256') === true;
    return dpopRequired || (this.#dpop === 'always' && supported) ? this.dpopKeys.handle() : undefined;
  }
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
  { network }: TokenProviderOptions,
  {
    serverUrl: url,
    server,
    clock,
    logger,
  }: Pick<ProviderContext, 'serverUrl' | 'server' | 'clock' | 'logger'>,
  platform: Platform,
): Fetcher {
  if (network !== undefined && 'fetch' in network) return network;
  return platform.createNetwork({ ...network, url, server, clock, logger });
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
  return hashText(JSON.stringify(values)).slice(0, 22);
}
