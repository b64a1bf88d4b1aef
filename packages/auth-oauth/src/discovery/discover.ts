import { type AuthChallenge, FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { AuthorizationServer } from 'oauth4webapi';
import { readConfiguredMetadata, readIssuerMetadata } from './authorization-server.js';
import { checkEndpoint, checkMetadata, type MetadataPolicy } from './accepted-metadata.js';
import { issuerUrl } from './issuer-url.js';
import { MetadataReader } from './metadata-reader.js';
import { findProtectedResource } from './protected-resource.js';
import type { Fetcher } from '../protocol/endpoint.js';
import type { RecentFailures } from '../protocol/recent-failures.js';
import type { TokenProviderOptions } from '../options.js';
import { isSameIssuer, parseOAuthChallenge } from '../protocol/values.js';

/** Options of {@link discover}. */
export interface DiscoverOptions extends MetadataPolicy {
  /** Sends the requests. */
  readonly network: Fetcher;
  /** The refusal that caused the discovery; its `resource_metadata` parameter is tried first. */
  readonly challenge?: AuthChallenge | undefined;
  /** Aborts the requests. */
  readonly signal?: AbortSignal | undefined;
  /** Endpoints from the configuration, which take precedence over what servers say. */
  readonly configured?: ConfiguredEndpoints | undefined;
  /** URL at which the protected resource metadata was found before, for when `challenge` does not name one. */
  readonly resourceMetadata?: string | undefined;
  /** The issuer to choose if the server names several authorization servers and this is one of them. */
  readonly preferredIssuer?: string | undefined;
}

/** OAuth endpoints from the configuration of a server, for authorization servers that discovery does not find. */
export type ConfiguredEndpoints = NonNullable<TokenProviderOptions['endpoints']>;

/** The result of a discovery: where to sign in, and for which resource. */
export interface DiscoveredServer {
  /** Metadata of the authorization server, reduced to the members that are used. */
  readonly authorizationServer: AuthorizationServer;
  /** The resource that tokens are requested for (`resource`). @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource: string;
  /** Scopes that the MCP server lists (`scopes_supported`); undefined if it lists none. */
  readonly scopes: readonly string[] | undefined;
  /** URL of the protected resource metadata that the challenge named. Keep it: only a challenge names it. */
  readonly resourceMetadata: string | undefined;
  /** True if the MCP server accepts DPoP-bound tokens only. @see https://www.rfc-editor.org/rfc/rfc9449.html */
  readonly dpopRequired: boolean;
  /** False if only endpoints are configured, so that the issuer in an authorization response cannot be checked. */
  readonly issuerKnown: boolean;
  /** True if no metadata says where to sign in, so that the default endpoints of protocol revision 2025-03-26 are used. */
  readonly isGuessed: boolean;
}

/** The result of a discovery that is used again. */
export interface CachedDiscovery extends DiscoveredServer {
  /** Time when the metadata was read, in milliseconds since the epoch. */
  readonly foundAt: number;
  /** The `resource` parameter of token requests; undefined if the option `resource` is false. */
  readonly resourceParameter: string | undefined;
}

/** Servers of this revision have their authorization server at their own origin. */
const LEGACY_REVISION = { 'mcp-protocol-version': '2025-03-26' };

/**
 * Discovers the authorization server of an MCP server: protected resource metadata, then authorization server metadata.
 * Authorization servers that `failed` recently are not asked.
 *
 * Rejects with `AUTH_DISCOVERY_FAILED` if nothing acceptable is found (`details.reason` is `missing`, `resource`, `issuer`
 * or `endpoint`), with `CONFIG_INVALID` for an invalid configured URL, and with the codes of the network for temporary
 * failures.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-discovery
 */
export async function discover(options: DiscoverOptions, failed: RecentFailures): Promise<DiscoveredServer> {
  const { network, server, serverUrl, configured = {} } = options;
  const reader = new MetadataReader(network, server, options.signal);
  const { resourceMetadata = options.resourceMetadata, dpopOnly } = parseOAuthChallenge(options.challenge);
  const resource = await findProtectedResource(reader, serverUrl, resourceMetadata);
  const result = {
    resource: resource?.resource ?? canonicalResource(serverUrl),
    scopes: resource?.scopes,
    resourceMetadata,
    dpopRequired: dpopOnly || resource?.dpopRequired === true,
    isGuessed: false,
    issuerKnown: true,
  };

  const checked = (as: AuthorizationServer): AuthorizationServer => checkMetadata(as, options);

  if (configured.metadataUrl !== undefined) {
    const metadataUrl = configuredUrl('authServerMetadataUrl', configured.metadataUrl, server);
    return { ...result, authorizationServer: checked(await readConfiguredMetadata(reader, metadataUrl)) };
  }
  if (configured.tokenUrl !== undefined) {
    return { ...result, issuerKnown: false, authorizationServer: fixedEndpoints(configured) };
  }
  if (resource !== undefined && resource.authorizationServers.length > 0) {
    const issuers = preferred(resource.authorizationServers, options.preferredIssuer);
    return { ...result, authorizationServer: await firstUsable(reader, issuers, server, failed, checked) };
  }
  if (reader.temporaryFailure !== undefined) throw reader.temporaryFailure;
  const found = await readIssuerMetadata(reader, serverUrl.origin, 'origin', LEGACY_REVISION);
  if (found !== undefined) return { ...result, authorizationServer: checked(found) };
  if (reader.temporaryFailure !== undefined) throw reader.temporaryFailure;
  const isGuessed = resource === undefined;
  return { ...result, isGuessed, authorizationServer: checked(defaultEndpoints(serverUrl)) };
}

/** Parses a URL from the configuration. Throws `CONFIG_INVALID`. */
function configuredUrl(name: string, value: string, server: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new FittingsError(
    'CONFIG_INVALID',
    `"${name}" of the server "${server}" is not an absolute https URL.`,
    {
      server,
      hint: 'Use a complete URL, such as https://host/path.',
    },
  );
}

function preferred(issuers: readonly string[], first: string | undefined): readonly string[] {
  const isFirst = (issuer: string): boolean => isSameIssuer(issuer, first);
  return [...issuers.filter(isFirst), ...issuers.filter((issuer) => !isFirst(issuer))];
}

/** One refusal causes requests to this many authorization servers; the others of the list are tried at later refusals. */
const MAX_ASKED = 3;
/** Entries of a longer list are ignored. */
const MAX_LISTED = 1_000;
/** An issuer with missing or unacceptable metadata is not asked again for this long. */
const LASTING_MS = 60_000;
/** An issuer that did not answer is not asked again for this long. */
const TEMPORARY_MS = 5_000;

/**
 * Returns the first authorization server that can be used. Values that are not issuers are skipped, and issuers that failed
 * recently are not asked again, so that a usable one at the end of a long list is found eventually.
 */
async function firstUsable(
  reader: MetadataReader,
  listed: readonly string[],
  server: string,
  failed: RecentFailures,
  checked: (as: AuthorizationServer) => AuthorizationServer,
): Promise<AuthorizationServer> {
  const issuers = [...new Set(listed.slice(0, MAX_LISTED))].filter((each) => issuerUrl(each) !== undefined);
  if (issuers.length === 0) throw noIssuer(server, listed[0] ?? '');
  const due = issuers.filter((issuer) => failed.get(issuer) === undefined).slice(0, MAX_ASKED);
  const remember = (issuer: string, cause: FittingsError): void =>
    failed.add(issuer, cause, cause.kind === 'network-temporary' ? TEMPORARY_MS : LASTING_MS);
  let failure: FittingsError | undefined;
  for (const issuer of due) {
    try {
      const found = await readIssuerMetadata(reader, issuer, 'exact');
      if (found !== undefined) return checked(found);
      const cause = reader.lastingFailures.get(originOf(issuer));
      remember(issuer, reader.temporaryFailure ?? noMetadata(server, cause));
    } catch (error) {
      if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
      // The next one may be acceptable; if none is, the first reason is reported.
      failure ??= error;
      remember(issuer, error);
    }
  }
  if (failure !== undefined) throw failure;
  if (reader.temporaryFailure !== undefined) throw reader.temporaryFailure;
  const cause = due.flatMap((issuer) => reader.lastingFailures.get(originOf(issuer)) ?? [])[0];
  if (due.length > 0) throw noMetadata(server, cause);
  throw issuers.flatMap((issuer) => failed.get(issuer) ?? [])[0] ?? noMetadata(server, undefined);
}

function noMetadata(server: string, cause: FittingsError | undefined): FittingsError {
  const why = cause === undefined ? 'None of its authorization servers has metadata.' : cause.message;
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `Could not find the authorization server of "${server}": ${why}`,
    {
      server,
      cause,
      hint:
        cause?.hint ??
        'Set "oauth.authServerMetadataUrl", or "oauth.authorizationUrl" and "oauth.tokenUrl", in its entry.',
      details: { reason: 'missing' },
    },
  );
}

function noIssuer(server: string, first: string): FittingsError {
  const shown = sanitizeText(first, { maxLength: 200 });
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `"${server}" names the authorization server "${shown}", which is not an https URL.`,
    {
      server,
      hint: 'Ask its owner to correct "authorization_servers" in its protected resource metadata.',
      details: { reason: 'issuer' },
    },
  );
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : '';
}

/** Revision 2025-03-26: without metadata, the endpoints are at default paths of the server's own origin. */
function defaultEndpoints({ origin }: URL): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That revision requires PKCE of every server, so there is no metadata to check.
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

/** Returns the most specific resource identifier: the URL without fragment and trailing slash. */
function canonicalResource(serverUrl: URL): string {
  const url = new URL(serverUrl);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}
