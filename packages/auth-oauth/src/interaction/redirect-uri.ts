import { FittingsError } from '@mcp-fittings/client-core';

/** Names of this machine that a redirect URI may have. */
export type LoopbackHost = '127.0.0.1' | 'localhost' | '[::1]';

/** The parts of a redirect URI that are not left to the surface. */
export interface LoopbackRedirect {
  readonly callbackHost?: LoopbackHost | undefined;
  readonly callbackPath?: string | undefined;
  readonly callbackPort?: number | undefined;
}

/**
 * The address in a redirect URI as it was registered by hand: `http`, on this machine, without query and fragment. Without a
 * port any free one is taken. Throws `CONFIG_INVALID`.
 */
export function parseRedirectUri(uri: string, server?: string): Required<LoopbackRedirect> {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const host = LOOPBACK_HOSTS.find((each) => each === url?.hostname);
  if (url?.protocol !== 'http:' || host === undefined || /[?#@\\]/.test(uri)) {
    throw new FittingsError(
      'CONFIG_INVALID',
      '"redirectUri" is not an address that this program can listen at.',
      {
        server,
        hint: 'Write http://127.0.0.1, http://localhost or http://[::1], a port if one is registered, and a path.',
      },
    );
  }
  // URLs leave out the port 80, which can be meant.
  const port =
    url.port === '' ? (/^http:\/\/[^/]+:0*80(?:\/|$)/i.test(uri) ? 80 : undefined) : Number(url.port);
  return { callbackHost: host, callbackPath: url.pathname, callbackPort: port };
}

export function loopbackRedirectUri(host: LoopbackHost, port: number, path: string): string {
  return `http://${host}:${port}${path}`;
}

/** Throws `CONFIG_INVALID` for what is not the path of a URL as it is written there. */
export function checkCallbackPath(path: string): string {
  const url = new URL('http://127.0.0.1');
  url.pathname = path;
  if (path.startsWith('/') && url.pathname === path) return path;
  throw new FittingsError('CONFIG_INVALID', 'The path of the redirect URI is not written as in a URL.', {
    hint: 'Begin it with a slash, and encode other characters than those of URLs.',
  });
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;
