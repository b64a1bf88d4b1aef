import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { withoutSlashes } from './issuer-url.js';
import type { MetadataReader } from './metadata-reader.js';
import { textOf, textsOf } from '../protocol/values.js';

/** Protected resource metadata of an MCP server. @see https://www.rfc-editor.org/rfc/rfc9728.html */
export interface ProtectedResource {
  /** The resource identifier, sent as `resource`. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly dpopRequired: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Finds the metadata at the URL of the challenge, then at the well-known URL for the path of the server, then for its root.
 * Resolves with undefined if none exists; rejects with `AUTH_DISCOVERY_FAILED` if it describes another resource, or does not
 * say which one.
 */
export async function findProtectedResource(
  reader: MetadataReader,
  serverUrl: URL,
  named: string | undefined,
): Promise<ProtectedResource | undefined> {
  let incomplete: URL | undefined;
  for (const url of candidates(serverUrl, named)) {
    const document = await reader.read(url);
    if (document === undefined) continue;
    const resource = textOf(document, 'resource') ?? '';
    if (resource === '') {
      // Some servers answer every request with JSON of another kind.
      if (Array.isArray(document['authorization_servers'])) incomplete ??= url;
      continue;
    }
    if (!describes(resource, serverUrl, url)) throw otherResource(resource, serverUrl);
    return {
      resource,
      authorizationServers: textsOf(document, 'authorization_servers') ?? [],
      scopes: textsOf(document, 'scopes_supported'),
      dpopRequired: document['dpop_bound_access_tokens_required'] === true,
    };
  }
  if (incomplete !== undefined) throw noResource(incomplete, serverUrl);
  return undefined;
}

function candidates(serverUrl: URL, named: string | undefined): readonly URL[] {
  const path = withoutSlashes(serverUrl.pathname);
  const urls: URL[] = [];
  // Any URL on the origin of the server, and no other: the challenge is untrusted.
  if (named !== undefined && URL.canParse(named) && new URL(named).origin === serverUrl.origin)
    urls.push(new URL(named));
  if (path !== '') urls.push(new URL(`${WELL_KNOWN}${path}${serverUrl.search}`, serverUrl));
  urls.push(new URL(WELL_KNOWN, serverUrl));
  return urls.filter((url, index) => urls.findIndex(({ href }) => href === url.href) === index);
}

/**
 * Returns whether `resource` is the URL of the server, or a parent of it (`/api` is not a parent of `/api123`) whose
 * metadata is at its own well-known URL. Otherwise one tenant of a host could obtain tokens for all of them.
 * @see https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3
 */
function describes(resource: string, serverUrl: URL, metadataUrl: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false;
  const url = new URL(resource);
  if (url.origin !== serverUrl.origin || url.username !== '' || url.password !== '') return false;
  const path = withoutSlashes(url.pathname);
  if (path === withoutSlashes(serverUrl.pathname)) return url.search === serverUrl.search;
  const isParent = `${serverUrl.pathname}/`.startsWith(`${path}/`) && url.search === '';
  return (
    isParent && metadataUrl.search === '' && withoutSlashes(metadataUrl.pathname) === `${WELL_KNOWN}${path}`
  );
}

function otherResource(resource: string, serverUrl: URL): FittingsError {
  const shown = sanitizeText(resource, { maxLength: 200 });
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The protected resource metadata of ${serverUrl.origin} describes another resource, "${shown}".`,
    {
      hint: 'Ask its owner to set "resource" to the exact URL of the server.',
      details: { reason: 'resource' },
    },
  );
}

/** RFC 9728 requires the member, and forbids to use metadata that describe another resource. */
function noResource(at: URL, serverUrl: URL): FittingsError {
  // Without their queries, which may hold a key.
  const where = sanitizeText(`${at.origin}${at.pathname}`, { maxLength: 300 });
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The protected resource metadata at ${where} has no "resource".`,
    {
      hint: `Ask its owner to add "resource": "${serverUrl.origin}${serverUrl.pathname}" (RFC 9728, section 2).`,
      details: { reason: 'resource' },
    },
  );
}
