import { secureUrl } from '@mcp-fittings/toolbox/connect';
import { decodeComponent } from '@mcp-fittings/toolbox/text';

/**
 * Parses an issuer identifier: https, or http with a loopback host, without credentials, query and fragment. Returns
 * undefined for anything else.
 * @see https://www.rfc-editor.org/rfc/rfc8414.html#section-2
 */
export function issuerUrl(issuer: string): URL | undefined {
  return /[?#]/.test(issuer) ? undefined : secureUrl(issuer);
}

/**
 * Returns the well-known URLs of the metadata of an issuer, all on its own origin.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
export function metadataUrls(issuer: URL): readonly URL[] {
  const path = withoutSlashes(issuer.pathname);
  const paths =
    path === ''
      ? [`/${OAUTH}`, `/${OPENID}`]
      : [`/${OAUTH}${path}`, `/${OPENID}${path}`, `${path}/${OPENID}`];
  return paths.map((each) => {
    // Not resolved as a reference: a path that begins with two slashes would name another host.
    const url = new URL(issuer.origin);
    url.pathname = each;
    return url;
  });
}

/** Returns a path without the slashes at its end. Linear: a server chooses the path, and `/\/+$/` looks at each slash again. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/**
 * Returns whether the metadata of `issuer` may be at this URL: on the same origin and, for a well-known URL, the one of
 * this issuer. A document elsewhere could claim to be of another issuer.
 */
export function canDescribe(url: URL, issuer: URL): boolean {
  if (url.origin !== issuer.origin) return false;
  if (!/\/\.well-known\//i.test(decodeComponent(url.pathname))) return true;
  return metadataUrls(issuer).some(({ pathname }) => pathname === url.pathname);
}

const OAUTH = '.well-known/oauth-authorization-server';
const OPENID = '.well-known/openid-configuration';
