import { type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { isLoopbackHost, secureUrl } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  type AuthorizationServer,
  type JWK,
} from 'oauth4webapi';
import { createOutboundFetch, type OutboundFetch } from './outbound-fetch.js';

/** An authorization server whose tokens are accepted: its metadata and its keys. */
export interface Issuer {
  /** Its identifier, as in `iss`. */
  readonly identifier: string;
  /** Options for the functions of `oauth4webapi`: how to send requests to it. */
  readonly requests: {
    readonly [customFetch]: ReturnType<typeof createOutboundFetch>;
    readonly [allowInsecureRequests]: boolean;
  };
  /** Reads its metadata (RFC 8414, OpenID Connect Discovery). Rejects with `AUTH_DISCOVERY_FAILED`. */
  metadata(): Promise<AuthorizationServer>;
  /** Returns its keys, read again if none has this `kid`, but not more often than once a minute. Rejects with `AUTH_DISCOVERY_FAILED`. */
  keys(kid: string | undefined): Promise<readonly JWK[]>;
}

/** Dependencies of {@link Issuer}. */
export interface IssuerDeps {
  readonly clock: Clock;
  readonly fetch: OutboundFetch | undefined;
  readonly logger: Logger | undefined;
}

/** Documents are read again after ten minutes. If that fails, the known ones are used for a day. */
const FRESH_MS = 600_000;
const USABLE_MS = 86_400_000;
/** Tokens with unknown keys, of which anyone can send many, cause one request a minute. */
const UNKNOWN_KID_MS = 60_000;
/** An issuer that is down is asked every five seconds. */
const RETRY_MS = 5000;

/** Creates an issuer; nothing is sent before it is used. Throws `CONFIG_INVALID` for an invalid identifier. */
export function createIssuer(identifier: string, { clock, fetch, logger }: IssuerDeps): Issuer {
  const url = checkedIdentifier(identifier);
  const requests = {
    [customFetch]: createOutboundFetch(fetch, clock),
    [allowInsecureRequests]: isLoopbackHost(url.hostname),
  };
  const metadata = cachedDocument(async () => discover(url, requests), {
    clock,
    logger,
    what: `the metadata of ${identifier}`,
  });
  const keys = cachedDocument(async () => readKeys(await metadata(), requests), {
    clock,
    logger,
    what: `the keys of ${identifier}`,
  });
  return {
    identifier,
    requests,
    metadata: () => metadata(),
    async keys(kid) {
      const known = await keys();
      if (kid === undefined || known.some((key) => key.kid === kid)) return known;
      return keys(UNKNOWN_KID_MS);
    },
  };
}

/** Returns a function that returns the document, read again if it is older than `freshMs`. */
function cachedDocument<T>(
  read: () => Promise<T>,
  {
    clock,
    logger,
    what,
  }: { readonly clock: Clock; readonly logger: Logger | undefined; readonly what: string },
): (freshMs?: number) => Promise<T> {
  let kept: { readonly value: T; readonly at: number } | undefined;
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  let running: Promise<T> | undefined;
  const load = async (): Promise<T> => {
    try {
      const value = await read();
      kept = { value, at: clock.now() };
      failed = undefined;
      return value;
    } catch (cause) {
      const error = new FittingsError('AUTH_DISCOVERY_FAILED', `Could not read ${what}.`, {
        cause,
        retryable: true,
      });
      failed = { error, at: clock.now() };
      logger?.warn(error.message, { cause });
      throw error;
    }
  };
  return async (freshMs = FRESH_MS) => {
    const now = clock.now();
    if (kept !== undefined && now - kept.at < freshMs) return kept.value;
    const usable = kept !== undefined && now - kept.at < USABLE_MS ? kept : undefined;
    if (failed !== undefined && now - failed.at < RETRY_MS) {
      if (usable !== undefined) return usable.value;
      throw failed.error;
    }
    running ??= load().finally(() => {
      running = undefined;
    });
    if (usable === undefined) return running;
    return running.catch(() => usable.value);
  };
}

async function discover(url: URL, requests: Issuer['requests']): Promise<AuthorizationServer> {
  const oauth = await discoveryRequest(url, { algorithm: 'oauth2', ...requests });
  if (oauth.status === 200) return processDiscoveryResponse(url, oauth);
  const openid = await discoveryRequest(url, { algorithm: 'oidc', ...requests });
  return processDiscoveryResponse(url, openid);
}

async function readKeys(
  { issuer, jwks_uri: address }: AuthorizationServer,
  { [customFetch]: fetch, [allowInsecureRequests]: insecure }: Issuer['requests'],
): Promise<readonly JWK[]> {
  const url = secureUrl(address ?? '');
  if (url === undefined || (url.protocol === 'http:' && !insecure)) {
    throw new FittingsError('AUTH_DISCOVERY_FAILED', `The metadata of ${issuer} has no valid "jwks_uri".`);
  }
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await fetch(url.href, { method: 'GET', headers });
  const document: unknown = response.status === 200 ? await response.json() : undefined;
  if (!isKeySet(document)) {
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `The response of ${url.origin} is not a JSON Web Key Set.`,
    );
  }
  return document.keys;
}

function isKeySet(document: unknown): document is { readonly keys: readonly JWK[] } {
  return isRecord(document) && Array.isArray(document['keys']) && document['keys'].every(isRecord);
}

function checkedIdentifier(identifier: string): URL {
  const url = secureUrl(identifier);
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw new FittingsError(
      'CONFIG_INVALID',
      'An issuer must be an https URL without credentials, query and fragment.',
      {
        hint: 'Write it as in the "iss" claim of its tokens. http is allowed on the loopback interface only.',
      },
    );
  }
  return url;
}
