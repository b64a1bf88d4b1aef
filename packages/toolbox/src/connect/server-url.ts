import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import { isLocalAddress, isLoopbackHost, isSecure } from './hosts.js';
import { isSocketUrl, readSocketUrl } from './socket-url.js';
import { builtin } from '../platform.js';

/** A valid server URL. */
export interface CheckedUrl {
  /** The parsed URL. For a Unix socket or a named pipe, the one that requests have: `http://localhost/mcp` for `unix:///run/a.sock#/mcp`. */
  readonly url: URL;
  /** The configured URL, for messages; see `originOf`. */
  readonly shown: URL;
  /** Path of the Unix socket or named pipe to connect to; `undefined` for a host. */
  readonly socketPath: string | undefined;
  /** Sentences to show to the user before the URL is used, such as that it is not encrypted. They contain no secret. */
  readonly warnings: readonly string[];
}

/** Options of {@link checkServerUrl}. */
export interface ServerUrlOptions {
  /** Name of the server, for the error. */
  readonly server?: string | undefined;
  /** Required scheme; its encrypted form, `https:` or `wss:`, is valid too. Default `http`. */
  readonly scheme?: 'http' | 'ws' | undefined;
  /** True if the caller connects to {@link CheckedUrl.socketPath}, so that `unix:` and `pipe:` are valid too. Default `false`. */
  readonly sockets?: boolean | undefined;
}

/**
 * Parses the URL of a server as the user configured it. Throws `CONFIG_INVALID` if it is not an absolute URL, has another scheme,
 * or contains a user name, a password or a fragment. Warns of an unencrypted connection to a public host and of an
 * internationalized host name, which may imitate another one. The error never repeats the text, which may contain a secret.
 *
 * @example
 * ```ts
 * const { url, warnings } = checkServerUrl('http://mcp.example.com/');
 * ```
 */
export function checkServerUrl(configured: string | URL, options: ServerUrlOptions = {}): CheckedUrl {
  const { server, scheme = 'http', sockets = false } = options;
  const [secure, plain] = [`${scheme}s:`, `${scheme}:`];
  const refuse = (message: string, hint: string): FittingsError =>
    new FittingsError('CONFIG_INVALID', message, { server, hint });

  const text = String(configured);
  if (!URL.canParse(text))
    throw refuse('The URL of the server is not an absolute URL.', `Write it in full: ${secure}//host/path.`);
  const shown = new URL(text);
  const socket = sockets && isSocketUrl(shown) ? readSocketUrl(shown) : undefined;
  if (socket !== undefined && !('path' in socket)) throw refuse(...socket);
  // The host name is not resolved. Servers that refuse unknown ones, against DNS rebinding, accept this one.
  const url = socket === undefined ? shown : new URL(`${plain}//localhost${socket.endpoint}`);
  if (url.protocol !== secure && url.protocol !== plain) {
    throw refuse(
      `The URL of the server has the unsupported scheme ${url.protocol}`,
      `Write a URL that begins with ${secure} or ${plain}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      `The URL of the server (${url.host}) contains a user name or password.`,
      'Put the credentials into `headers`, or sign in.',
    );
  }
  if (url.hash !== '' || url.href.endsWith('#')) {
    throw refuse(
      `The URL of the server (${url.host}) has a fragment.`,
      'Remove the # and everything after it.',
    );
  }
  return { url, shown, socketPath: socket?.path, warnings: warningsOf(url) };
}

/**
 * Throws `POLICY_DENIED` unless the connection is encrypted or stays on this machine. Nothing has been resolved or sent at that
 * point.
 */
export function refuseUnencrypted(url: URL, server?: string): void {
  if (isSecure(url) || isLoopbackHost(url.hostname)) return;
  throw new TransportError(
    'POLICY_DENIED',
    `The URL of the server (${url.host}) is not encrypted: anyone on the network path could read and change messages and credentials.`,
    {
      server,
      delivery: 'not-sent',
      hint: `Use ${url.protocol === 'ws:' ? 'wss' : 'https'}:, or set \`allowInsecure\` on this server if you accept that.`,
      details: { host: url.host },
    },
  );
}

function warningsOf(url: URL): readonly string[] {
  const warnings: string[] = [];
  const { hostname } = url;
  if (!isSecure(url) && !isLoopbackHost(hostname) && !isLocalAddress(hostname)) {
    warnings.push(
      `The connection to ${hostname} is not encrypted: anyone on the network path can read and change it.`,
    );
  }
  // A browser shows such a name in its own way.
  const shown = /(?:^|\.)xn--/.test(hostname) ? builtin('node:url')?.domainToUnicode(hostname) : undefined;
  if (shown !== undefined)
    warnings.push(`The host ${hostname} displays as ${shown}: check that it does not imitate another name.`);
  return warnings;
}
