import { type AuthChallenge, type Clock, FittingsError } from '@mcp-fittings/client-core';
import { abortable, isRecent } from '@mcp-fittings/toolbox/timing';
import type { AuthorizationServer } from 'oauth4webapi';
import { checkMetadata, pickMetadata, type MetadataPolicy } from '../discovery/accepted-metadata.js';
import { discover, type CachedDiscovery, type ConfiguredEndpoints } from '../discovery/discover.js';
import { signInAborted } from '../interaction/interaction.js';
import type { Fetcher } from '../protocol/endpoint.js';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import { RecentFailures } from '../protocol/recent-failures.js';
import { isSameIssuer, parseOAuthChallenge } from '../protocol/values.js';
import { STORED_METADATA, type TokenRecord } from '../tokens/token-record.js';

/** Starting point of a discovery. */
export interface DiscoverySearch {
  /** The held token, whose issuer is preferred if the server names several; undefined if none exists. */
  readonly record: Pick<TokenRecord, 'issuer' | 'resourceMetadata' | 'tokenType'> | undefined;
  /** The refusal that caused the discovery. */
  readonly challenge?: AuthChallenge | undefined;
  /** Ends the wait, which rejects with `ABORTED`; others may wait for the same discovery. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link DiscoveryCache}. */
export interface DiscoveryCacheOptions {
  /** Sends the requests. */
  readonly network: Fetcher;
  /** Tells how old a discovery is. */
  readonly clock: Clock;
  /** Decides where a browser and credentials may be sent to. */
  readonly policy: MetadataPolicy;
  /** Endpoints that take precedence over what the servers say. */
  readonly configured: ConfiguredEndpoints | undefined;
  /** If true, token requests name the MCP server as their `resource`. */
  readonly sendsResource: boolean;
}

/** For this long a refused token is refreshed without a new discovery. */
const CACHED_MS = 10 * 60_000;
/** Metadata younger than this is not read again because a token request failed. */
const JUST_FOUND_MS = 1_000;

/** Discovers the authorization server of one MCP server, and keeps what was found. */
export class DiscoveryCache {
  readonly #options: DiscoveryCacheOptions;
  readonly #failed: RecentFailures;
  /** By what they look for. */
  readonly #running = new Map<string, Promise<CachedDiscovery>>();
  #found: CachedDiscovery | undefined;

  constructor(options: DiscoveryCacheOptions) {
    this.#options = options;
    this.#failed = new RecentFailures(options.clock);
  }

  /** Forgets which authorization servers failed recently, because a person has asked for a sign-in. */
  retryFailedIssuers(): void {
    this.#failed.clear();
    // The next discovery asks them, whatever is under way.
    this.#running.clear();
  }

  /**
   * Discovers the authorization server. Without a challenge, the protected resource metadata is read where it was found
   * before. Calls that look for the same at the same time share one discovery. Rejects with `AUTH_DISCOVERY_FAILED` or the codes
   * of the network.
   */
  discover({ record, challenge, signal }: DiscoverySearch): Promise<CachedDiscovery> {
    const { server } = this.#options.policy;
    const { resourceMetadata, dpopOnly } = parseOAuthChallenge(challenge);
    const told = challenge && [resourceMetadata, dpopOnly];
    const key = JSON.stringify([record?.issuer, record?.resourceMetadata, record?.tokenType, told]);
    let running = this.#running.get(key);
    if (running === undefined) {
      const begun = this.#discover(record, challenge).finally(() => {
        if (this.#running.get(key) === begun) this.#running.delete(key);
      });
      running = begun;
      this.#running.set(key, running);
    }
    return abortable(running, signal, () => signInAborted(server));
  }

  async #discover(
    record: DiscoverySearch['record'],
    challenge: AuthChallenge | undefined,
  ): Promise<CachedDiscovery> {
    const { network, clock, policy, configured, sendsResource } = this.#options;
    const resourceMetadata = this.#found?.resourceMetadata ?? record?.resourceMetadata;
    const preferredIssuer = record?.issuer;
    const found = await discover(
      { ...policy, network, challenge, configured, resourceMetadata, preferredIssuer },
      this.#failed,
    );
    // A challenge that demanded DPoP still counts when there is no challenge.
    const isBound =
      record?.tokenType === 'DPoP' || (challenge === undefined && this.#found?.dpopRequired === true);
    this.#found = {
      ...found,
      dpopRequired: found.dpopRequired || isBound,
      foundAt: clock.now(),
      resourceParameter: sendsResource ? found.resource : undefined,
    };
    return this.#found;
  }

  /**
   * Returns the last discovery, of this process or of the process that recorded the token. Undefined if none exists, it is
   * older than ten minutes, or `challenge` contradicts it. Sends no request.
   */
  cached(record: TokenRecord | undefined, challenge?: AuthChallenge): CachedDiscovery | undefined {
    const found = (record && this.#restore(record)) ?? this.#found;
    this.#found = found;
    if (found === undefined || challenge === undefined) return found;
    return this.#isStillValid(found, record, challenge) ? found : undefined;
  }

  /**
   * Sends a token request to the cached authorization server. If that fails as if the server had moved, discovery runs and,
   * if it finds something else, the request is sent once more.
   */
  async request<T>(
    record: TokenRecord | undefined,
    send: (server: CachedDiscovery) => Promise<T>,
  ): Promise<T> {
    const known = this.cached(record);
    if (known === undefined) return send(await this.discover({ record }));
    try {
      return await send(known);
    } catch (error) {
      const isNew = isRecent(known.foundAt, JUST_FOUND_MS, this.#options.clock.now());
      if (isNew || !mayHaveMoved(error)) throw error;
      const found = await this.discover({ record });
      if (isSame(known.authorizationServer, found.authorizationServer)) throw error;
      return send(found);
    }
  }

  /**
   * Restores a discovery from the metadata that is stored with a token, with the same checks as metadata that was just read.
   * Returns undefined if none exists, it is not newer than the last discovery, it is not acceptable, or it is too old.
   */
  #restore(record: TokenRecord): CachedDiscovery | undefined {
    const { policy, clock, configured, sendsResource } = this.#options;
    const { metadata, issuer, tokenEndpoint, resource, resourceMetadata } = record;
    if (Object.values(configured ?? {}).some((endpoint) => endpoint !== undefined)) return undefined;
    if (record.refreshToken === undefined || metadata === undefined) return undefined;
    if (this.#found !== undefined && metadata.foundAt <= this.#found.foundAt) return undefined;
    if (!isRecent(metadata.foundAt, CACHED_MS, clock.now())) return undefined;
    try {
      const as = pickMetadata({ ...metadata.members, token_endpoint: tokenEndpoint }, issuer);
      return {
        authorizationServer: checkMetadata(as, policy),
        resource,
        resourceParameter: sendsResource ? resource : undefined,
        resourceMetadata,
        scopes: undefined,
        dpopRequired: record.tokenType === 'DPoP',
        issuerKnown: true,
        isGuessed: false,
        foundAt: metadata.foundAt,
      };
    } catch {
      // The discovery that follows reports the reason.
      return undefined;
    }
  }

  /** Returns whether a discovery is of the issuer of this token, not too old, and not contradicted by the challenge. */
  #isStillValid(known: CachedDiscovery, record: TokenRecord | undefined, challenge: AuthChallenge): boolean {
    const { resourceMetadata = known.resourceMetadata, dpopOnly } = parseOAuthChallenge(challenge);
    return (
      isSameIssuer(known.authorizationServer.issuer, record?.issuer) &&
      resourceMetadata === known.resourceMetadata &&
      (!dpopOnly || known.dpopRequired) &&
      isRecent(known.foundAt, CACHED_MS, this.#options.clock.now())
    );
  }
}

/**
 * Returns whether the token endpoint may be elsewhere now: nothing answered, or something that is not a token endpoint or
 * does not know this client. A server error or a refused grant does not count, nor does a request that may have been
 * carried out, because a refresh token is used once.
 */
function mayHaveMoved(error: unknown): boolean {
  if (!(error instanceof FittingsError)) return false;
  if (error.delivery === 'not-sent' || error.code === 'REDIRECT_REFUSED') return true;
  const refusal = oauthErrorCode(error);
  const isOfClient = refusal === 'invalid_client' || refusal === 'unauthorized_client';
  return error.code === 'AUTH_FAILED' && (refusal === undefined || isOfClient);
}

/** Compares everything that a request to the token endpoint depends on. */
function isSame(one: AuthorizationServer, other: AuthorizationServer): boolean {
  return ['issuer', 'token_endpoint', ...STORED_METADATA].every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}
