import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { AuthorizationServer } from 'oauth4webapi';
import { pickMetadata } from './accepted-metadata.js';
import { canDescribe, issuerUrl, metadataUrls } from './issuer-url.js';
import { MetadataReader } from './metadata-reader.js';
import type { Fetcher } from '../protocol/endpoint.js';
import { isSameIssuer, textOf } from '../protocol/values.js';

/**
 * Comparison of the `issuer` in the metadata with the requested one: `exact` as RFC 8414 demands, except for the slash of an empty path, or
 * with the same origin.
 */
type IssuerMatch = 'exact' | 'origin';

/**
 * Finds the metadata of an authorization server at the well-known URLs of RFC 8414 and OpenID Connect Discovery. Resolves
 * with the members that sign-in uses, or with undefined if there is no metadata. Rejects with `AUTH_DISCOVERY_FAILED` if
 * the metadata is not acceptable, and with the codes of the network for temporary failures.
 * @see https://www.rfc-editor.org/rfc/rfc8414.html
 */
export async function findAuthorizationServer({
  network,
  server,
  issuer,
  signal,
}: {
  /** Sends the requests. */
  readonly network: Fetcher;
  /** Name of the server that the lookup is for, for messages. */
  readonly server: string;
  /** The issuer identifier. */
  readonly issuer: string;
  /** Aborts the requests. */
  readonly signal?: AbortSignal | undefined;
}): Promise<AuthorizationServer | undefined> {
  const reader = new MetadataReader(network, server, signal);
  const found = await readIssuerMetadata(reader, issuer, 'exact');
  if (found === undefined && reader.temporaryFailure !== undefined) throw reader.temporaryFailure;
  return found;
}

/**
 * Reads the metadata of an issuer at the well-known URLs that the MCP specification lists. Only members that are used, and of
 * the right type, are kept. Resolves with undefined if none exists; rejects with `AUTH_DISCOVERY_FAILED` if it is not
 * acceptable.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
export async function readIssuerMetadata(
  reader: MetadataReader,
  issuer: string,
  match: IssuerMatch,
  headers: Readonly<Record<string, string>> = {},
): Promise<AuthorizationServer | undefined> {
  const identifier = issuerUrl(issuer);
  if (identifier === undefined) return undefined;
  for (const url of metadataUrls(identifier)) {
    const document = await reader.read(url, headers);
    const named = document && textOf(document, 'issuer');
    if (document === undefined || named === undefined) continue;
    checkIssuer(named, issuer, match);
    return pickMetadata(document, named);
  }
  return undefined;
}

/**
 * Reads the metadata at a configured URL. Rejects with `AUTH_DISCOVERY_FAILED` if none exists, or if it names an issuer
 * whose metadata cannot be at that URL: the credentials of that issuer must not be sent to another server.
 */
export async function readConfiguredMetadata(reader: MetadataReader, url: URL): Promise<AuthorizationServer> {
  const document = await reader.read(url);
  const issuer = document && textOf(document, 'issuer');
  if (document === undefined || issuer === undefined) {
    throw (
      reader.temporaryFailure ??
      new FittingsError('AUTH_DISCOVERY_FAILED', `Found no authorization server metadata at ${url.href}.`, {
        hint: 'Check "authServerMetadataUrl" in the entry of the server.',
        details: { reason: 'missing' },
      })
    );
  }
  const identifier = issuerUrl(issuer);
  if (identifier !== undefined && canDescribe(url, identifier)) return pickMetadata(document, issuer);
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The metadata at ${url.href} names the issuer "${sanitizeText(issuer, { maxLength: 200 })}", which does not belong to that URL.`,
    {
      hint: 'Set "authServerMetadataUrl" to the well-known URL of the issuer, on its own origin.',
      details: { reason: 'issuer' },
    },
  );
}

function checkIssuer(named: string, asked: string, match: IssuerMatch): void {
  const acceptable =
    match === 'exact'
      ? isSameIssuer(named, asked)
      : URL.canParse(named) && new URL(named).origin === new URL(asked).origin;
  if (acceptable) return;
  const shown = sanitizeText(named, { maxLength: 200 });
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The metadata of the authorization server "${asked}" names another issuer, "${shown}".`,
    {
      hint: 'Both must be identical, except for the slash of an empty path (RFC 8414, section 3.3). If the issuer in the metadata is the right one, set "oauth.authServerMetadataUrl" in the entry of the server to the URL of its metadata.',
      details: { reason: 'issuer' },
    },
  );
}
