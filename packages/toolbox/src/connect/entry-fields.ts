import { FittingsError, type TransportDeps } from '@mcp-fittings/client-core';
import { count, described, eitherOf, listOf, mapOf, required, text } from '../entries/fields.js';
import { type EntryOf } from '../entries/entry-schema.js';
import type { HttpServerOptions } from './http-options.js';
import type { ClientCertificate, TlsOptions } from '../tls.js';

/** Returns the fields of a configuration entry that every remote transport has, for `entrySchema` of `toolbox/entries`. */
export const remoteEntryFields = () => ({
  url: required(described('URL of the server', text({ minLength: 1 }))),
  headers: described('HTTP headers to send to the server, and to no other host', mapOf(text())),
  proxy: described('`env` (default), `none`, or the URL of a proxy', text({ minLength: 1 })),
  ca: described(
    'Additional certificate authorities to trust: PEM text or paths of PEM files',
    eitherOf(text(), listOf(text())),
  ),
  clientCertificate: described(
    '`cert` and `key`, each as PEM text or the path of a PEM file, and `passphrase`',
    mapOf(text()),
  ),
  connectTimeout: described('Milliseconds to wait for a connection', count({ min: 1 })),
});

/** Values of {@link remoteEntryFields} in a configuration entry. */
export type RemoteEntryFields = EntryOf<ReturnType<typeof remoteEntryFields>>;

/**
 * Converts the `clientCertificate` of a configuration entry to an option. Throws `CONFIG_INVALID` if `cert` or `key` is missing.
 *
 * @param member Value of the entry; `undefined` gives `undefined`.
 * @param server Name of the server, for the error.
 */
export function toClientCertificate(
  member: RemoteEntryFields['clientCertificate'],
  server: string,
): ClientCertificate | undefined {
  if (member === undefined) return undefined;
  const { cert, key, passphrase } = member;
  if (cert !== undefined && key !== undefined) return { cert, key, passphrase };
  throw new FittingsError('CONFIG_INVALID', '`clientCertificate` requires both `cert` and `key`.', {
    server,
  });
}

/** Returns the fields of a configuration entry that say how its server is reached over HTTP, for `entrySchema` of `toolbox/entries`. */
export const httpEntryFields = () => ({
  ...remoteEntryFields(),
  allowAddresses: described(
    'Private IP addresses, ranges or host names that sign-in may connect to',
    listOf(text()),
  ),
});

/** Values of {@link httpEntryFields} in a configuration entry. */
export type HttpEntryFields = EntryOf<ReturnType<typeof httpEntryFields>>;

/** Options for `createHttpClient` of `http-client`, as a configuration entry has them. */
export interface HttpEntryOptions extends HttpServerOptions, TlsOptions, Pick<TransportDeps, 'clock'> {
  /** `connectMs`: milliseconds to wait for a connection. */
  readonly timeouts: { readonly connectMs: number | undefined };
}

/**
 * Converts a configuration entry to the options of its HTTP client. Throws `CONFIG_INVALID` if the client certificate is incomplete.
 *
 * @param deps Name of the server, clock and logger, as a transport plugin gets them from the host.
 */
export function toHttpClientOptions(
  entry: HttpEntryFields,
  deps: Pick<TransportDeps, 'server' | 'clock' | 'logger'>,
): HttpEntryOptions {
  const { url, headers, proxy, ca, allowAddresses, connectTimeout } = entry;
  const { server, clock, logger } = deps;
  return {
    url,
    headers,
    proxy,
    ca,
    clientCertificate: toClientCertificate(entry.clientCertificate, server),
    allowAddresses,
    timeouts: { connectMs: connectTimeout },
    server,
    clock,
    logger,
  };
}
