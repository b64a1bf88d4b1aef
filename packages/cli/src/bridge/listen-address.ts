import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/net-policy';

/** Where a bridge listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
}

const DEFAULT_HOST = '127.0.0.1';

/** Reads `8080`, `127.0.0.1:8080`, `[::1]:8080`. Throws `CONFIG_INVALID`. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host = DEFAULT_HOST, digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new FittingsError('CONFIG_INVALID', 'The address to listen at is no port and no host:port.', {
      hint: 'Write 8080, or 127.0.0.1:8080.',
    });
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

export interface ExposureOptions {
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
}

/**
 * Refuses to serve others than this machine without a secret and without the names under which they reach us, which are
 * what keeps web pages out. Throws `CONFIG_INVALID`.
 */
export function checkExposure({ host }: ListenAddress, { token, allowedHosts }: ExposureOptions): void {
  if (isLoopbackHost(host)) return;
  const refuse = (message: string, hint: string): FittingsError =>
    new FittingsError('CONFIG_INVALID', message, { hint });
  if (token === undefined) {
    throw refuse(
      `Whoever reaches ${host} could use the server: a token is needed to serve others than this machine.`,
      'Set FITTINGS_BRIDGE_TOKEN, or give --token-file.',
    );
  }
  if (allowedHosts.length === 0) {
    throw refuse(
      `It has to be known under which names ${host} is reached.`,
      'Name them with --allow-host, for example --allow-host bridge.example.',
    );
  }
}
