import { FittingsError } from '@mcp-fittings/client-core';
import type { InteractionOptions } from './interaction.js';

/** Hosts that a loopback redirect URI may have. `localhost` is listened on in IPv4 and IPv6. */
export type LoopbackHost = NonNullable<InteractionOptions['callbackHost']>;

/** The parts of a configured redirect URI; a missing part is chosen by the interaction. */
export interface LoopbackRedirect {
  readonly callbackHost?: LoopbackHost | undefined;
  readonly callbackPath?: string | undefined;
  readonly callbackPort?: number | undefined;
}

/**
 * Parses a configured redirect URI: `http`, a loopback host, no query and no fragment. Without a port, any free port is used.
 * Throws `CONFIG_INVALID`.
 */
export function parseRedirectUri(uri: string, server?: string): Required<LoopbackRedirect> {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const host = LOOPBACK_HOSTS.find((each) => each === url?.hostname);
  if (url?.protocol !== 'http:' || host === undefined || /[?#@\\]/.test(uri)) {
    throw new FittingsError(
      'CONFIG_INVALID',
      '"redirectUri" must be an http URL with a loopback host, without query and fragment.',
      {
        server,
        hint: 'Use http://127.0.0.1, http://localhost or http://[::1], the registered port if there is one, and a path.',
      },
    );
  }
  // URL omits port 80, which may have been written.
  const port =
    url.port === '' ? (/^http:\/\/[^/]+:0*80(?:\/|$)/i.test(uri) ? 80 : undefined) : Number(url.port);
  return { callbackHost: host, callbackPath: url.pathname, callbackPort: port };
}

export function loopbackRedirectUri(host: LoopbackHost, port: number, path: string): string {
  return `http://${host}:${port}${path}`;
}

/** Throws `CONFIG_INVALID` for a path that is not written as in a normalized URL. */
export function checkCallbackPath(path: string): string {
  const url = new URL('http://127.0.0.1');
  url.pathname = path;
  if (path.startsWith('/') && url.pathname === path) return path;
  throw new FittingsError('CONFIG_INVALID', 'The path of the redirect URI must be a normalized URL path.', {
    hint: 'Start it with a slash, and percent-encode characters that URLs do not allow.',
  });
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;
