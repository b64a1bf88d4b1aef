import { FittingsError } from '@mcp-fittings/client-core';
import { secureUrl } from '@mcp-fittings/toolbox/connect';
import { decodeComponent } from '@mcp-fittings/toolbox/text';

/** One address of the gateway as a protected resource: all servers, or one of them. */
export interface ProtectedAddress {
  /** Name of the server; undefined for all. */
  readonly server: string | undefined;
  /** Resource identifier of RFC 8707 and RFC 9728: the public URL of the address. */
  readonly resource: string;
  /** Public URL of its metadata document. */
  readonly metadataUrl: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Creates the addresses below `resource`, the public URL of `/mcp`. Behind a reverse proxy that removes a prefix, requests have
 * another path than this URL, so a server is recognized by the last two segments. Throws `CONFIG_INVALID`.
 * @see https://www.rfc-editor.org/rfc/rfc9728.html#section-3.1
 */
export function createProtectedAddresses(resource: string) {
  const url = checkedResource(resource);
  const base = url.pathname;
  const endpoint = base.slice(base.lastIndexOf('/'));
  const addressOf = (server: string | undefined): ProtectedAddress => {
    const path = server === undefined ? base : `${base}/${encodeURIComponent(server)}`;
    return { server, resource: url.origin + path, metadataUrl: `${url.origin}${WELL_KNOWN}${path}` };
  };
  return {
    /** Returns the address that a request is for. A path outside of the gateway is treated as that of all servers. */
    ofRequest(pathname: string): ProtectedAddress {
      const [, parent, name] = /^(.*)\/([^/]+)$/.exec(pathname) ?? [];
      return addressOf(
        name !== undefined && parent?.endsWith(endpoint) === true ? decodeComponent(name) : undefined,
      );
    },
    /** Returns the address whose metadata is at this path; undefined for any other path. */
    ofMetadata(pathname: string): ProtectedAddress | undefined {
      if (!pathname.startsWith(WELL_KNOWN + base)) return undefined;
      const rest = pathname.slice(WELL_KNOWN.length + base.length);
      if (rest === '') return addressOf(undefined);
      const server = /^\/([^/]+)$/.exec(rest)?.[1];
      return server === undefined ? undefined : addressOf(decodeComponent(server));
    },
  };
}

function checkedResource(resource: string): URL {
  const url = secureUrl(resource);
  if (url === undefined || url.href !== resource || /[?#]/.test(resource) || url.pathname.endsWith('/')) {
    throw new FittingsError(
      'CONFIG_INVALID',
      '"resource" must be the public URL of all servers, with its path.',
      {
        hint: 'Write it as clients do, without query: https://gateway.example/mcp. http is allowed on the loopback interface only.',
      },
    );
  }
  return url;
}
