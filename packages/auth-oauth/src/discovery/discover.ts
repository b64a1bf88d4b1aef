import { FittingsError, sanitizeText, systemClock, type AuthChallenge } from '@mcp-fittings/client-core/auth';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Fetcher } from '../library-fetch.js';
import { withoutMixUp } from './endpoint-origins.js';
import { createFailedIssuers, type FailedIssuers } from './failed-issuers.js';
import { issuerUrl } from './issuer-url.js';
import { checkPage } from './page-policy.js';
import { findAuthorizationServer, readAuthorizationServer } from './authorization-server.js';
import { readChallenge } from './challenge.js';
import { createDocumentReader, type DocumentReader } from './documents.js';
import { checkEndpoint } from './endpoint-policy.js';
import { findProtectedResource } from './protected-resource.js';

export interface DiscoverOptions {
  readonly network: Fetcher;
  /** Name of the server, for messages. */
  readonly server: string;
  readonly serverUrl: URL;
  readonly challenge?: AuthChallenge | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What a person configured goes before what servers say. */
  readonly configured?: ConfiguredEndpoints | undefined;
  /** Where the metadata was found before, when `challenge` does not say where it is. */
  readonly resourceMetadata?: string | undefined;
  /** Taken when the server names several authorization servers and this is one of them. */
  readonly preferredIssuer?: string | undefined;
  /** Authorization servers that could not be used lately. Default: none are known. */
  readonly failed?: FailedIssuers | undefined;
  /** Origins that may receive credentials besides the one of the sign-in page, see `allowedEndpointOrigins`. */
  readonly allowedEndpointOrigins?: readonly string[] | undefined;
  /** Hosts and address ranges that the server may send a browser to, besides public ones. */
  readonly allowAddresses?: readonly string[] | undefined;
}

export interface ConfiguredEndpoints {
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly metadataUrl?: string | undefined;
}

/** Where and for what to sign in. */
export interface Discovered {
  readonly authorizationServer: AuthorizationServer;
  /** Sent as `resource` in every request. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource: string;
  /** Scopes that the server lists; undefined when it lists none. */
  readonly scopes: readonly string[] | undefined;
  /** Where the challenge says that the metadata is; to be kept, since only a challenge says it. */
  readonly resourceMetadata: string | undefined;
  readonly dpopRequired: boolean;
  /** False when only endpoints are configured: then nobody can say which issuer an answer has to name. */
  readonly issuerKnown: boolean;
  /** The server has no metadata at all: revision 2025-03-26. */
  readonly withoutMetadata: boolean;
}

/** The revision whose servers are asked for metadata at their own origin. */
const LEGACY_REVISION = { 'mcp-protocol-version': '2025-03-26' };

/**
 * Finds out where to sign in. Throws `AUTH_DISCOVERY_FAILED` when nothing acceptable is found, whose `details.reason` is
 * `missing`, `resource`, `issuer` or `endpoint`, and the network's own error when the truth could not be learned for now.
 */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const { network, server, serverUrl, configured = {} } = options;
  const reader = createDocumentReader(network, server, options.signal);
  const { resourceMetadata = options.resourceMetadata, dpopOnly } = readChallenge(options.challenge);
  const resource = await findProtectedResource(reader, serverUrl, resourceMetadata);
  const facts = {
    resource: resource?.resource ?? canonicalResource(serverUrl),
    scopes: resource?.scopes,
    resourceMetadata,
    dpopRequired: dpopOnly || resource?.dpopRequired === true,
    withoutMetadata: resource === undefined,
    issuerKnown: true,
  };

  const checked = (as: AuthorizationServer): AuthorizationServer => checkMetadata(as, options);

  if (configured.metadataUrl !== undefined) {
    const place = configuredUrl('authServerMetadataUrl', configured.metadataUrl, server);
    return { ...facts, authorizationServer: checked(await readAuthorizationServer(reader, place)) };
  }
  if (configured.tokenUrl !== undefined) {
    return { ...facts, issuerKnown: false, authorizationServer: fixedEndpoints(configured) };
  }
  if (resource !== undefined && resource.authorizationServers.length > 0) {
    const issuers = preferred(resource.authorizationServers, options.preferredIssuer);
    return { ...facts, authorizationServer: await firstOf(reader, issuers, options, checked) };
  }
  if (reader.trouble !== undefined) throw reader.trouble;
  return { ...facts, authorizationServer: checked(await onServerOrigin(reader, serverUrl)) };
}

/** The metadata, if a person and credentials may be sent where it says. Throws `AUTH_DISCOVERY_FAILED`. */
export function checkMetadata(
  as: AuthorizationServer,
  options: Pick<DiscoverOptions, 'server' | 'serverUrl' | 'allowAddresses' | 'allowedEndpointOrigins'>,
): AuthorizationServer {
  const { server, serverUrl, allowAddresses: allowed } = options;
  if (as.authorization_endpoint !== undefined) {
    checkPage('authorization_endpoint', as.authorization_endpoint, { serverUrl, allowed });
  }
  return withoutMixUp(as, server, options.allowedEndpointOrigins);
}

/** What a person wrote, which may be anything. Throws `CONFIG_INVALID`. */
function configuredUrl(name: string, value: string, server: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new FittingsError(
    'CONFIG_INVALID',
    `"${name}" of the server "${server}" is not an absolute https URL.`,
    {
      server,
      hint: 'Write it in full: https://host/path.',
    },
  );
}

function preferred(issuers: readonly string[], first: string | undefined): readonly string[] {
  if (first === undefined || !issuers.includes(first)) return issuers;
  return [first, ...issuers.filter((issuer) => issuer !== first)];
}

/** So many authorization servers are asked because of one refusal; a server that lists more gets its turn later. */
const MAX_ASKED = 3;
/** So many of a server's list are looked at. */
const MAX_LISTED = 1_000;

/**
 * The first authorization server that can be used. What is not an issuer is left out, and what failed lately is not asked
 * again, so that a good one at the end of a long list is found in the end.
 */
async function firstOf(
  reader: DocumentReader,
  listed: readonly string[],
  { server, failed = createFailedIssuers(systemClock) }: DiscoverOptions,
  checked: (as: AuthorizationServer) => AuthorizationServer,
): Promise<AuthorizationServer> {
  const issuers = [...new Set(listed.slice(0, MAX_LISTED))].filter((each) => issuerUrl(each) !== undefined);
  if (issuers.length === 0) throw noIssuer(server, listed[0] ?? '');
  const due = issuers.filter((issuer) => failed.get(issuer) === undefined).slice(0, MAX_ASKED);
  let failure: FittingsError | undefined;
  for (const issuer of due) {
    try {
      const found = await findAuthorizationServer(reader, issuer, 'identical');
      if (found !== undefined) return checked(found);
      const cause = reader.obstacles.get(originOf(issuer));
      failed.add(issuer, reader.trouble ?? nowhere(server, cause));
    } catch (error) {
      if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
      // Not acceptable. The next one may be, and if none is, this is the reason to name.
      failure ??= error;
      failed.add(issuer, error);
    }
  }
  if (failure !== undefined) throw failure;
  if (reader.trouble !== undefined) throw reader.trouble;
  const cause = due.flatMap((issuer) => reader.obstacles.get(originOf(issuer)) ?? [])[0];
  if (due.length > 0) throw nowhere(server, cause);
  throw issuers.flatMap((issuer) => failed.get(issuer) ?? [])[0] ?? nowhere(server, undefined);
}

function nowhere(server: string, cause: FittingsError | undefined): FittingsError {
  const why = cause === undefined ? 'No authorization server has metadata.' : cause.message;
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `It is not known where to sign in to "${server}": ${why}`,
    {
      server,
      cause,
      hint:
        cause?.hint ??
        'Set "authServerMetadataUrl", or "authorizationUrl" and "tokenUrl", in its configuration.',
      details: { reason: 'missing' },
    },
  );
}

function noIssuer(server: string, first: string): FittingsError {
  const shown = sanitizeText(first, { maxLength: 200 });
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `"${server}" names "${shown}" as its authorization server, which is not the https URL of an issuer.`,
    {
      server,
      hint: 'Its owner has to correct "authorization_servers" in its metadata.',
      details: { reason: 'issuer' },
    },
  );
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : '';
}

/** Revision 2025-03-26: the authorization server is the server's own origin, with metadata or with fixed paths. */
async function onServerOrigin(reader: DocumentReader, serverUrl: URL): Promise<AuthorizationServer> {
  const { origin } = serverUrl;
  const found = await findAuthorizationServer(reader, origin, 'same-origin', LEGACY_REVISION);
  if (found !== undefined) return found;
  if (reader.trouble !== undefined) throw reader.trouble;
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That revision demands PKCE of every server, so there is nothing to look up.
    code_challenge_methods_supported: ['S256'],
  };
}

function fixedEndpoints({ authorizationUrl, tokenUrl = '' }: ConfiguredEndpoints): AuthorizationServer {
  const token = checkEndpoint('tokenUrl', tokenUrl);
  return {
    issuer: new URL(token).origin,
    token_endpoint: token,
    ...(authorizationUrl !== undefined && {
      authorization_endpoint: checkEndpoint('authorizationUrl', authorizationUrl),
    }),
    code_challenge_methods_supported: ['S256'],
  };
}

/** The most specific identifier: no fragment, no trailing slash. */
function canonicalResource(serverUrl: URL): string {
  const url = new URL(serverUrl);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}
