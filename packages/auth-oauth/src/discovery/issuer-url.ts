import { isLoopbackHost } from '@mcp-fittings/remote-policy';

/**
 * The URL of an issuer identifier: https, or http on loopback, without credentials, query and fragment. Undefined for
 * anything else.
 * @see https://www.rfc-editor.org/rfc/rfc8414.html#section-2
 */
export function issuerUrl(issuer: string): URL | undefined {
  if (!URL.canParse(issuer) || /[?#]/.test(issuer)) return undefined;
  const url = new URL(issuer);
  const isWeb = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Where the metadata of an issuer may be, all on its own origin.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
export function metadataPlaces(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/+$/, '');
  const paths =
    path === ''
      ? [`/${OAUTH}`, `/${OPENID}`]
      : [`/${OAUTH}${path}`, `/${OPENID}${path}`, `${path}/${OPENID}`];
  return paths.map((each) => {
    // Never resolved as a reference: a path that begins with two slashes would name another host.
    const url = new URL(issuer.origin);
    url.pathname = each;
    return url;
  });
}

/**
 * Whether the metadata of `issuer` may be at this address: on the same origin and, where the address is a well-known one,
 * the one of this very issuer. Anything else could speak for somebody else's issuer.
 */
export function mayDescribe(place: URL, issuer: URL): boolean {
  if (place.origin !== issuer.origin) return false;
  if (!/\/\.well-known\//i.test(decodedPath(place))) return true;
  return metadataPlaces(issuer).some(({ pathname }) => pathname === place.pathname);
}

function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

const OAUTH = '.well-known/oauth-authorization-server';
const OPENID = '.well-known/openid-configuration';
