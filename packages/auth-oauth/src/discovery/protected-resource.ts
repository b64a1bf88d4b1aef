import { FittingsError, sanitizeText } from '@mcp-fittings/client-core/auth';
import { textOf, textsOf, type DocumentReader } from './documents.js';

/** What a server says of its own protection. @see https://www.rfc-editor.org/rfc/rfc9728.html */
export interface ProtectedResource {
  /** Its identifier, to be sent as `resource`. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly dpopRequired: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Finds the metadata: where the challenge points, then at the path of the server, then at its root. Undefined when there
 * is none. Throws `AUTH_DISCOVERY_FAILED` when it speaks for another resource.
 */
export async function findProtectedResource(
  reader: DocumentReader,
  serverUrl: URL,
  named: string | undefined,
): Promise<ProtectedResource | undefined> {
  for (const url of candidates(serverUrl, named)) {
    const document = await reader.read(url);
    if (document === undefined) continue;
    const resource = textOf(document, 'resource');
    if (resource === undefined) continue;
    if (!isOf(resource, serverUrl, url)) throw foreign(resource, serverUrl);
    return {
      resource,
      authorizationServers: textsOf(document, 'authorization_servers') ?? [],
      scopes: textsOf(document, 'scopes_supported'),
      dpopRequired: document['dpop_bound_access_tokens_required'] === true,
    };
  }
  return undefined;
}

function candidates(serverUrl: URL, named: string | undefined): readonly URL[] {
  const path = serverUrl.pathname.replace(/\/+$/, '');
  const urls: URL[] = [];
  // A server may keep its metadata elsewhere on its own origin, and nowhere else: the address comes from a stranger.
  if (named !== undefined && URL.canParse(named) && new URL(named).origin === serverUrl.origin)
    urls.push(new URL(named));
  if (path !== '') urls.push(new URL(`${WELL_KNOWN}${path}${serverUrl.search}`, serverUrl));
  urls.push(new URL(WELL_KNOWN, serverUrl));
  return urls.filter((url, index) => urls.findIndex(({ href }) => href === url.href) === index);
}

/**
 * The URL of the server, or a parent of it on a segment boundary (`/api` is not one of `/api123`) where the metadata is at
 * the well-known place of that parent: else one tenant of a host could have tokens made for all of them.
 * @see https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3
 */
function isOf(resource: string, serverUrl: URL, place: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false;
  const url = new URL(resource);
  if (url.origin !== serverUrl.origin || url.username !== '' || url.password !== '') return false;
  const path = withoutSlash(url.pathname);
  if (path === withoutSlash(serverUrl.pathname)) return url.search === serverUrl.search;
  const isParent = `${serverUrl.pathname}/`.startsWith(`${path}/`) && url.search === '';
  return isParent && place.search === '' && withoutSlash(place.pathname) === `${WELL_KNOWN}${path}`;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

function foreign(resource: string, serverUrl: URL): FittingsError {
  const shown = sanitizeText(resource, { maxLength: 200 });
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The metadata of ${serverUrl.origin} speaks for another resource: "${shown}".`,
    {
      hint: 'Its owner has to name the URL of the server as "resource", letter by letter.',
      details: { reason: 'resource' },
    },
  );
}
