import { type AuthProvider, type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { checkHeaders } from '../connect/headers.js';
import { collectHeaders, type RequestInitOptions } from '../connect/sdk-options.js';
import { checkServerUrl } from '../connect/server-url.js';
import { systemClock } from '../timing/waits.js';
import { Credentials } from './credentials.js';
import type { RetryLaterOptions } from './retry-later.js';

/** Options that the transports to remote servers have in common, besides the URL. */
export interface RemoteOptions {
  /** Name of the server; errors have it as `server`. Default: none. */
  readonly server?: string | undefined;
  /** Headers to send with every request to the origin of `url`, and to no other. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** As in the official SDK. Only its `headers` are supported; if `headers` has the same name, that wins. Default: none. */
  readonly requestInit?: RequestInitOptions | undefined;
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
  /** Signs every request and answers challenges; its headers override `headers`. Default: none. */
  readonly auth?: AuthProvider | undefined;
  /** Largest message that is accepted, in bytes after decompression. Default 67 108 864 (64 MiB). */
  readonly maxMessageBytes?: number | undefined;
  /** Limits how often a message that may be carried out twice without harm is sent again after a 429, or a 503 with `Retry-After`. */
  readonly retryLater?: RetryLaterOptions | undefined;
  /** Closes the transport when aborted. If it is aborted before the connection is open, `start()` rejects with `ABORTED`. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Receives warnings about the URL, such as that it is not encrypted. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for all time limits. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of randomness in [0, 1), which spreads the waits of many clients. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Valid {@link RemoteOptions} with their defaults. */
export interface CheckedRemoteOptions extends Pick<RemoteOptions, 'server' | 'signal' | 'logger'> {
  /** URL of the requests. */
  readonly url: URL;
  /** The configured URL, which may be that of a socket. */
  readonly shown: URL;
  /** Names in lower case; includes the API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs the requests. */
  readonly credentials: Credentials;
  /** Largest message that is accepted, in bytes. */
  readonly maxMessageBytes: number;
  /** Limits of repeated requests. */
  readonly retryLater: RetryLaterOptions;
  /** Clock for all time limits. */
  readonly clock: Clock;
  /** Source of randomness. */
  readonly random: () => number;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Checks the options of a transport over HTTP. Throws `CONFIG_INVALID` or `HEADER_INVALID`.
 *
 * @param rules `reserved`: headers that the transport sets; see `checkHeaders`. `sdkOnly`: see `collectHeaders`.
 */
export function checkRemoteOptions(
  options: RemoteOptions & { readonly url: string | URL },
  rules: { readonly reserved: readonly string[]; readonly sdkOnly: Readonly<Record<string, string>> },
): CheckedRemoteOptions {
  const { server, signal, logger, auth: provider } = options;
  const { url, shown } = checkServerUrl(options.url, { server, sockets: true });
  const headers = headersWithKey(
    { ...options, headers: collectHeaders(options, rules.sdkOnly) },
    rules.reserved,
  );
  return {
    server,
    signal,
    logger,
    url,
    shown,
    headers,
    credentials: new Credentials({ url, server, provider, authorization: headers['authorization'] }),
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    retryLater: options.retryLater ?? {},
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/**
 * Returns the configured headers and the API key, with lower-case names. Throws `HEADER_INVALID` as `checkHeaders` does, and
 * `CONFIG_INVALID` if both have the header `Authorization`.
 */
export function headersWithKey(
  { headers = {}, apiKey, server }: Pick<RemoteOptions, 'headers' | 'apiKey' | 'server'>,
  reserved: readonly string[],
): Readonly<Record<string, string>> {
  const checked = checkHeaders(headers, { server, reserved });
  if (apiKey === undefined) return checked;
  if (checked['authorization'] !== undefined) {
    throw new FittingsError('CONFIG_INVALID', '`apiKey` and the header Authorization are both configured.', {
      server,
      hint: 'Remove one of them.',
    });
  }
  return { ...checked, ...checkHeaders({ authorization: `Bearer ${apiKey}` }, { server }) };
}
