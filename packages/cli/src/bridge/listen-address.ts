import { isAbsolute } from 'node:path';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { CommandError } from '../output/hints.js';

/** Says where a bridge listens: a TCP port, or a Unix socket or a named pipe that only its owner can send to. */
export type ListenAddress =
  | {
      readonly host: string;
      /** With 0 the operating system chooses a free port. */
      readonly port: number;
    }
  | { readonly socketPath: string };

const DEFAULT_HOST = '127.0.0.1';

/**
 * Parses `8080`, `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/user/1000/bridge.sock`, and on Windows `\\\\.\\pipe\\bridge`. Throws
 * `ARGUMENTS_INVALID`.
 */
export function parseListenAddress(text: string): ListenAddress {
  if (/^\\\\[.?]\\pipe\\./i.test(text) && process.platform === 'win32') return { socketPath: text };
  if (text.startsWith(UNIX)) return { socketPath: socketPathOf(text.slice(UNIX.length)) };
  const [, host = DEFAULT_HOST, digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new CommandError(
      'ARGUMENTS_INVALID',
      'The address to listen on must be a port, host:port or unix:/path.',
      { hint: 'For example: 8080, 127.0.0.1:8080 or unix:/path/to/socket.' },
    );
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

/**
 * Returns the URL with which an entry names what listens on a socket, as VS Code has it: `unix:///path/to/socket#/mcp`, or for a named pipe
 * `pipe:///pipe/bridge#/mcp`.
 */
export function socketUrl(socketPath: string, endpoint: string): string {
  const isPipe = process.platform === 'win32';
  const path = isPipe ? socketPath.replace(/^\\\\[.?]/, '').replaceAll('\\', '/') : socketPath;
  return `${isPipe ? 'pipe' : 'unix'}://${path.split('/').map(encodeURIComponent).join('/')}#${endpoint}`;
}

const UNIX = 'unix:';

function socketPathOf(path: string): string {
  if (isAbsolute(path) && process.platform !== 'win32') return path;
  throw new CommandError(
    'ARGUMENTS_INVALID',
    'A Unix socket needs an absolute path, and an operating system that supports Unix sockets.',
    {
      hint:
        process.platform === 'win32'
          ? String.raw`Use a named pipe, for example \\.\pipe\bridge.`
          : 'For example: unix:/path/to/socket.',
    },
  );
}

/**
 * Throws `CONFIG_INVALID` for an address beyond loopback without the host names that clients use, which keep web pages out.
 */
export function checkHostNames(address: ListenAddress, allowedHosts: readonly string[]): void {
  if ('socketPath' in address || isLoopbackHost(address.host) || allowedHosts.length > 0) return;
  throw new CommandError(
    'CONFIG_INVALID',
    `Listening on ${address.host} requires the host names that clients use.`,
    { hint: 'Set them with --allow-host, for example --allow-host bridge.example.' },
  );
}
