import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as tls from 'node:tls';
import { FittingsError } from '@mcp-fittings/client-core/transport';
import type { TlsOptions } from './tls-options.js';

export interface TlsContexts {
  /** For the configured server: with the client certificate. Undefined: the platform's defaults. */
  readonly configured: tls.SecureContext | undefined;
  /** For every other host, proxies too. */
  readonly others: tls.SecureContext | undefined;
}

export interface LoadTlsOptions extends TlsOptions {
  /** Name of the server, for errors. */
  readonly server?: string | undefined;
  /** Where `NODE_EXTRA_CA_CERTS` is looked for. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Reads certificates and keys and makes them ready, once for all connections.
 * Rejects with `CONFIG_INVALID` naming the option that can't be used; never with what a file holds.
 */
export async function loadTls(options: LoadTlsOptions): Promise<TlsContexts> {
  const { server, clientCertificate } = options;
  const extra = options.ca === undefined ? [] : [options.ca].flat();

  const read = (value: string, option: string): Promise<string> => readPem(value, option, server);
  const ca =
    extra.length === 0
      ? undefined
      : [
          ...(await usualAuthorities(options.env)),
          ...(await Promise.all(extra.map((one) => readAuthorities(one, server)))),
        ];
  const others = ca && contextOf({ ca }, '`ca`', server);
  if (clientCertificate === undefined) return { configured: others, others };

  const cert = await read(clientCertificate.cert, '`clientCertificate.cert`');
  const key = await read(clientCertificate.key, '`clientCertificate.key`');
  const { passphrase } = clientCertificate;
  const identity = { cert, key, ...(passphrase !== undefined && { passphrase }), ...(ca && { ca }) };
  return { configured: contextOf(identity, '`clientCertificate`', server), others };
}

/** OpenSSL passes over what it can't read; a person wants to know. */
async function readAuthorities(value: string, server: string | undefined): Promise<string> {
  const pem = await readPem(value, '`ca`', server);
  try {
    const certificates = pem.match(CERTIFICATE)?.map((text) => new X509Certificate(text));
    if (certificates !== undefined) return pem;
  } catch {
    // The reason would be one of OpenSSL's riddles.
  }
  throw new FittingsError('CONFIG_INVALID', 'What `ca` names holds no certificate in PEM form.', {
    server,
    hint: 'It has to be PEM text or a PEM file.',
  });
}

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

async function readPem(value: string, option: string, server: string | undefined): Promise<string> {
  if (value.includes('-----BEGIN')) return value;
  try {
    return await readFile(value, 'utf8');
  } catch (cause) {
    throw new FittingsError('CONFIG_INVALID', `The file that ${option} names can't be read.`, {
      server,
      cause,
    });
  }
}

function contextOf(
  options: tls.SecureContextOptions,
  option: string,
  server: string | undefined,
): tls.SecureContext {
  try {
    return tls.createSecureContext(options);
  } catch (cause) {
    throw new FittingsError('CONFIG_INVALID', `${option} can't be used.`, {
      server,
      cause,
      hint: 'It has to be PEM text or a PEM file; an encrypted key needs its `passphrase`.',
    });
  }
}

/** A `ca` list replaces Node's, so the usual ones have to be in it, with those of `NODE_EXTRA_CA_CERTS`. */
async function usualAuthorities(env: LoadTlsOptions['env'] = process.env): Promise<readonly string[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- newer than Node 20, where our types end
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const file = env['NODE_EXTRA_CA_CERTS'];
  const extra =
    file === undefined || file === '' ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  return extra === undefined ? tls.rootCertificates : [...tls.rootCertificates, extra];
}
