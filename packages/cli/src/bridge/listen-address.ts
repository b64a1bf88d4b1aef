import { isAbsolute } from 'node:path';
import type { FittingsError } from '@mcp-fittings/client-core';
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
 * `CONFIG_INVALID`.
 */
export function parseListenAddress(text: string): ListenAddress {
  if (/^\\\\[.?]\\pipe\\./i.test(text) && process.platform === 'win32') return { socketPath: text };
  if (text.startsWith(UNIX)) return { socketPath: socketPathOf(text.slice(UNIX.length)) };
  const [, host = DEFAULT_HOST, digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new CommandError(
      'CONFIG_INVALID',
      'The address to listen on must be a port, host:port or unix:/path.',
      {
        hint: 'For example: 8080, 127.0.0.1:8080 or unix:/path/to/socket.',
      },
    );
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

const UNIX = 'unix:';

function socketPathOf(path: string): string {
  if (isAbsolute(path) && process.platform !== 'win32') return path;
  throw new CommandError(
    'CONFIG_INVALID',
    'A Unix socket needs an absolute path, and an operating system that supports Unix sockets.',
    {
      hint:
        process.platform === 'win32'
          ? String.raw`Use a named pipe, for example \\.\pipe\bridge.`
          : 'For example: unix:/path/to/socket.',
    },
  );
}

export interface ExposureOptions {
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
}

/**
 * Throws `CONFIG_INVALID` if another user could use the server with this user's credentials. Every user of the machine
 * can connect to a loopback port, so a port always needs a token. Beyond loopback, the host names of the bridge are
 * needed too, which keeps web pages out. A Unix socket is protected by its mode.
 */
export function checkExposure(address: ListenAddress, { token, allowedHosts }: ExposureOptions): void {
  if ('socketPath' in address) return;
  const { host } = address;
  if (isLoopbackHost(host) && token !== undefined) return;
  const refuse = (message: string, hint: string): FittingsError =>
    new CommandError('CONFIG_INVALID', message, { hint });
  if (token === undefined) {
    throw refuse(
      `Listening on ${host} requires a token: every client that can reach it could use the server.`,
      'Set FITTINGS_BRIDGE_TOKEN or use --token-file.',
    );
  }
  if (allowedHosts.length === 0) {
    throw refuse(
      `Listening on ${host} requires the host names that clients use.`,
      'Set them with --allow-host, for example --allow-host bridge.example.',
    );
  }
}
