import {
  systemClock,
  type AuthChallenge,
  type Clock,
  type Logger,
  type TokenStore,
} from '@mcp-fittings/client-core/auth';
import { createIdleNetwork, type NetworkOptions } from '@mcp-fittings/http-client';
import type { DPoPHandle } from 'oauth4webapi';
import { discover, type ConfiguredEndpoints } from '../discovery/discover.js';
import { createFailedIssuers } from '../discovery/failed-issuers.js';
import type { PagePolicy } from '../discovery/page-policy.js';
import { digestOf } from './entry-identity.js';
import { createProofKeys, type ProofKeys } from '../dpop/proof-key.js';
import { recallServer, recordedMetadata, stillHolds, type KnownServer } from './known-server.js';
import type { Fetcher } from '../library-fetch.js';
import { forReplaceable } from '../tokens/corrupt-store.js';
import type { TokenRecord } from '../tokens/token-record.js';
import type { TokenContext } from '../tokens/token-response.js';

/** What every provider that gets tokens from an authorization server has to be told. */
export interface TokenProviderOptions {
  /** URL of the MCP server. */
  readonly url: string | URL;
  /** Name of the server, for messages and for the person. Default: its host. */
  readonly server?: string | undefined;
  /** Where tokens and registrations are kept. */
  readonly store: TokenStore;
  /**
   * Which configuration of the server the stored tokens and registrations belong to, besides its URL: providers with another
   * identity do not see them. `oauth()` passes one that is made of the entry. Default: the `endpoints`.
   */
  readonly identity?: string | undefined;
  /** Who the stored tokens and registrations belong to, where several people share a store. Default: one person. */
  readonly principal?: string | undefined;
  /**
   * Origins, such as `https://api.example`, that codes, tokens and client credentials may be sent to although they differ from
   * that of the sign-in page and the authorization server does not name itself in its answers (RFC 9207). Default: none.
   */
  readonly allowedEndpointOrigins?: readonly string[] | undefined;
  /** Goes before what servers say. */
  readonly endpoints?: ConfiguredEndpoints | undefined;
  /** Asked for instead of what the server says. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether tokens are bound to a key (DPoP). `auto` (default): where the server takes nothing else. `always`: at every
   * authorization server that supports it.
   */
  readonly dpop?: 'auto' | 'always' | undefined;
  /** Proxy, certificates, time-outs, addresses: how the servers are reached. A `Network` stays yours to close. */
  readonly network?: Omit<NetworkOptions, 'url' | 'server' | 'headers'> | Fetcher | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** What the parts of one provider share. */
export interface ProviderDeps {
  readonly server: string;
  readonly serverUrl: URL;
  readonly store: TokenStore;
  readonly network: Fetcher;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly proofs: ProofKeys;
  /** Key in the store of the tokens of this kind. */
  readonly keyOf: (kind: string) => string;
  /** The part of such keys that tells entries and people apart; empty where there is nothing to tell apart. */
  readonly owner: string;
  /** What the server may send a browser to. */
  readonly pages: PagePolicy;
  /** A person has asked for a sign-in: what failed a moment ago is tried again. */
  tryAgain(): void;
  /** Finds out where to sign in, by what was found before where there is no challenge. */
  find(search: DiscoverySearch): Promise<KnownServer>;
  /**
   * What is known without asking: what was found last, here or, where the token is shared, by the process that recorded it.
   * Undefined where that is nothing, or where `challenge` or its age says that it may not hold any more.
   */
  known(record: TokenRecord | undefined, challenge?: AuthChallenge): KnownServer | undefined;
  /** The key to bind a token to, where it shall be bound. */
  proofFor(discovered: KnownServer): Promise<DPoPHandle | undefined>;
}

export interface DiscoverySearch {
  readonly record: Pick<TokenRecord, 'issuer' | 'resourceMetadata' | 'tokenType'> | undefined;
  readonly challenge?: AuthChallenge | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function createProviderDeps(options: TokenProviderOptions): ProviderDeps {
  const { store, logger, clock = systemClock, dpop = 'auto' } = options;
  const serverUrl = asHttp(new URL(options.url));
  const server = options.server ?? serverUrl.host;
  const owner = ownerOf(options);
  const keyOf = (kind: string): string =>
    `${kind}\n${serverUrl.origin}${serverUrl.pathname}${serverUrl.search}${owner}`;
  const proofs = createProofKeys(forReplaceable(store), keyOf('dpop'));
  const network = networkOf(options, serverUrl, server, clock);
  const failed = createFailedIssuers(clock);
  const pages = { serverUrl, allowed: allowedAddresses(options) };
  let found: KnownServer | undefined;
  const policy = {
    server,
    serverUrl,
    allowedEndpointOrigins: options.allowedEndpointOrigins,
    allowAddresses: pages.allowed,
  };
  const areConfigured = Object.values(options.endpoints ?? {}).some((endpoint) => endpoint !== undefined);

  return {
    server,
    serverUrl,
    store,
    network,
    clock,
    logger,
    proofs,
    keyOf,
    owner,
    pages,
    tryAgain: () => failed.clear(),
    async find({ record, challenge, signal }) {
      const discovered = await discover({
        ...policy,
        network,
        challenge,
        signal,
        configured: options.endpoints,
        resourceMetadata: found?.resourceMetadata ?? record?.resourceMetadata,
        preferredIssuer: record?.issuer,
        failed,
      });
      // What a challenge once said of DPoP holds as well where there is no challenge.
      const bound = record?.tokenType === 'DPoP' || (challenge === undefined && found?.dpopRequired === true);
      found = { ...discovered, dpopRequired: discovered.dpopRequired || bound, foundAt: clock.now() };
      return found;
    },
    known(record, challenge) {
      const recalled = record && !areConfigured ? recallServer(record, policy, clock.now()) : undefined;
      if (recalled !== undefined && (found === undefined || recalled.foundAt > found.foundAt))
        found = recalled;
      if (found === undefined || challenge === undefined) return found;
      return stillHolds(found, record, challenge, clock.now()) ? found : undefined;
    },
    async proofFor({ dpopRequired, authorizationServer }) {
      const supported = authorizationServer.dpop_signing_alg_values_supported?.includes('ES256') === true;
      return dpopRequired || (dpop === 'always' && supported) ? proofs.handle() : undefined;
    },
  };
}

/** What the record of a token says besides the token. */
export function recordContext(
  { server, clock }: ProviderDeps,
  known: KnownServer,
  clientId: string,
  requested: readonly string[],
): TokenContext {
  const { authorizationServer, resource, resourceMetadata } = known;
  return {
    server,
    issuer: authorizationServer.issuer,
    tokenEndpoint: authorizationServer.token_endpoint ?? '',
    resource,
    clientId,
    resourceMetadata,
    requested,
    metadata: recordedMetadata(known),
    now: clock.now(),
  };
}

/** An identity stands for the endpoints as well. */
function ownerOf({ identity, principal, endpoints = {} }: TokenProviderOptions): string {
  const { authorizationUrl, tokenUrl, metadataUrl } = endpoints;
  const configured = identity === undefined ? [authorizationUrl, tokenUrl, metadataUrl] : [identity];
  const parts = [principal, ...configured];
  if (parts.every((part) => part === undefined)) return '';
  return `\n${digestOf(parts.map((part) => part ?? null))}`;
}

/** A network of the host's does not say what it allows. */
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
  return createIdleNetwork({ ...network, url, server, clock, logger }, clock);
}

/** A WebSocket begins as an HTTP request, and is discovered and signed as one. @see https://www.rfc-editor.org/rfc/rfc6455.html#section-1.7 */
function asHttp(url: URL): URL {
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? new URL(url.href.replace(/^ws/, 'http')) : url;
}
