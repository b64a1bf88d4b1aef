/**
 * Certificates and keys, checked. A separate entry point, because it loads slowly and most servers do not need it.
 *
 * @packageDocumentation
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as tls from 'node:tls';
import { FittingsError } from '@mcp-fittings/client-core';

/** Certificates for connections to one server. */
export interface TlsOptions {
  /** Certificate authorities to trust in addition to those of Node.js: PEM text, or paths of PEM files. Default: none. */
  readonly ca?: string | readonly string[] | undefined;
  /** Sent to the configured server if it requests a client certificate; never to another host or a proxy. Default: none. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** A client certificate with its private key, for mutual TLS. */
export interface ClientCertificate {
  /** Certificate as PEM text, or the path of a PEM file. */
  readonly cert: string;
  /** Private key as PEM text, or the path of a PEM file. */
  readonly key: string;
  /** Decrypts `key`, if it is encrypted. */
  readonly passphrase?: string | undefined;
}

/** TLS settings of one server, ready for `tls.connect`. */
export interface TlsContexts {
  /** For the configured server, with the client certificate. `undefined`: the defaults of Node.js. */
  readonly configured: tls.SecureContext | undefined;
  /** For every other host, including proxies: without the client certificate. `undefined`: the defaults of Node.js. */
  readonly others: tls.SecureContext | undefined;
}

/** Certificates to load, and where to look for those of the environment. */
export interface LoadTlsOptions extends TlsOptions {
  /** Name of the server, for errors. */
  readonly server?: string | undefined;
  /** Environment variables to read `NODE_EXTRA_CA_CERTS` from. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Reads certificates and keys and prepares them, once for all connections to a server. Rejects with `CONFIG_INVALID` that names the
 * invalid option; the error never contains text of a file.
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

/** OpenSSL ignores what it cannot parse, and the user would not learn that a file is not a certificate. */
async function readAuthorities(value: string, server: string | undefined): Promise<string> {
  const pem = await readPem(value, '`ca`', server);
  try {
    const certificates = pem.match(CERTIFICATE)?.map((text) => new X509Certificate(text));
    if (certificates !== undefined) return pem;
  } catch {
    // The message of OpenSSL does not help the user.
  }
  throw new FittingsError('CONFIG_INVALID', '`ca` does not contain a certificate in PEM format.', {
    server,
    hint: 'Set it to PEM text or to the path of a PEM file.',
  });
}

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

async function readPem(value: string, option: string, server: string | undefined): Promise<string> {
  if (value.includes('-----BEGIN')) return value;
  try {
    return await readFile(value, 'utf8');
  } catch (cause) {
    throw new FittingsError('CONFIG_INVALID', `Could not read the file that ${option} names.`, {
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
    throw new FittingsError('CONFIG_INVALID', `${option} is not a valid certificate or key.`, {
      server,
      cause,
      hint: 'Set it to PEM text or to the path of a PEM file. An encrypted key also requires `passphrase`.',
    });
  }
}

/** A `ca` list replaces that of Node.js, so it has to contain the default authorities and those of `NODE_EXTRA_CA_CERTS`. */
async function usualAuthorities(env: LoadTlsOptions['env'] = process.env): Promise<readonly string[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- newer than Node 20, where our types end
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const file = env['NODE_EXTRA_CA_CERTS'];
  const extra =
    file === undefined || file === '' ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  return extra === undefined ? tls.rootCertificates : [...tls.rootCertificates, extra];
}
