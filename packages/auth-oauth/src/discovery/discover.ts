import { FittingsError, type AuthChallenge } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Fetcher } from '../library-fetch.js';
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

  if (configured.metadataUrl !== undefined) {
    return {
      ...facts,
      authorizationServer: await readAuthorizationServer(reader, new URL(configured.metadataUrl)),
    };
  }
  if (configured.tokenUrl !== undefined) {
    return { ...facts, issuerKnown: false, authorizationServer: fixedEndpoints(configured) };
  }
  if (resource !== undefined && resource.authorizationServers.length > 0) {
    const issuers = preferred(resource.authorizationServers, options.preferredIssuer);
    return { ...facts, authorizationServer: await firstOf(reader, issuers, server) };
  }
  if (reader.trouble !== undefined) throw reader.trouble;
  return { ...facts, authorizationServer: await onServerOrigin(reader, serverUrl) };
}

function preferred(issuers: readonly string[], first: string | undefined): readonly string[] {
  if (first === undefined || !issuers.includes(first)) return issuers;
  return [first, ...issuers.filter((issuer) => issuer !== first)];
}

async function firstOf(
  reader: DocumentReader,
  issuers: readonly string[],
  server: string,
): Promise<AuthorizationServer> {
  for (const issuer of issuers) {
    const found = await findAuthorizationServer(reader, issuer, 'identical');
    if (found !== undefined) return found;
  }
  if (reader.trouble !== undefined) throw reader.trouble;
  const [cause] = issuers.flatMap((issuer) => reader.obstacles.get(originOf(issuer)) ?? []);
  const why = cause === undefined ? 'No authorization server has metadata.' : cause.message;
  throw new FittingsError(
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
