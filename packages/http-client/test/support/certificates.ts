import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates extends Disposable {
  readonly folder: string;
  readonly authority: Identity;
  /** The certificate of the private authority. */
  readonly ca: string;
  readonly caFile: string;
  /** For `mcp.test`, `localhost` and 127.0.0.1. */
  readonly server: Identity;
  readonly client: Identity;
  /** The client's key, encrypted with {@link passphrase}. */
  readonly encryptedKey: string;
  readonly passphrase: string;
  /** Signs a certificate; with 0 days it has expired. */
  readonly sign: (name: string, extensions: string, days?: number) => Identity;
}

/** Creates a private authority, and signs certificates for a server and a client. Needs the `openssl` command. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'fittings-tls-'));
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const read = (name: string): Identity => ({
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
    key: readFileSync(path(`${name}.key`), 'utf8'),
  });
  const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  openssl(
    'req',
    '-x509',
    ...EC,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test Authority',
  );
  const sign = (name: string, extensions: string, days = 2): Identity => {
    writeFileSync(path(`${name}.ext`), extensions);
    openssl('req', ...EC, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    // prettier-ignore
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial',
      '-out', `${name}.pem`, '-days', String(days), '-extfile', `${name}.ext`);
    return read(name);
  };
  const server = sign('server', 'subjectAltName=DNS:mcp.test,DNS:localhost,IP:127.0.0.1');
  const client = sign('client', 'extendedKeyUsage=clientAuth');
  const passphrase = 'open sesame';
  openssl('ec', '-in', 'client.key', '-aes256', '-passout', `pass:${passphrase}`, '-out', 'client.enc.key');

  const authority = read('ca');
  return {
    folder,
    authority,
    ca: authority.cert,
    caFile: path('ca.pem'),
    server,
    client,
    encryptedKey: readFileSync(path('client.enc.key'), 'utf8'),
    passphrase,
    sign,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
