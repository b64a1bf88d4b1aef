import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Pki extends Disposable {
  /** Of a private authority. */
  readonly ca: string;
  /** Signed by the authority, for 127.0.0.1 and localhost. */
  readonly good: Identity;
  /** The same, two days out of date. */
  readonly expired: Identity;
  /** Signed by the authority, for another host. */
  readonly otherHost: Identity;
  /** Self-signed. */
  readonly selfSigned: Identity;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const HERE = 'subjectAltName=DNS:localhost,IP:127.0.0.1';

/** Real certificates, made by openssl. */
export function makePki(): Pki {
  const folder = mkdtempSync(join(tmpdir(), 'fittings-pki-'));
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const selfSign = (name: string, ...more: string[]): Identity => {
    openssl(
      'req',
      '-x509',
      ...EC,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      ...more,
    );
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  const ca = selfSign('authority', '-days', '30');
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(
    join(folder, 'ca.cnf'),
    [
      '[ca]',
      'default_ca=this',
      '[this]',
      'database=index.txt',
      'new_certs_dir=.',
      'rand_serial=yes',
      'default_md=sha256',
      'policy=any',
      'certificate=authority.pem',
      'private_key=authority.key',
      'unique_subject=no',
      '[any]',
      'commonName=supplied',
    ].join('\n'),
  );
  const day = 86_400_000;
  const time = (days: number): string =>
    new Date(Date.now() + days * day).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const sign = (name: string, extension: string, from: number, until: number): Identity => {
    writeFileSync(join(folder, `${name}.ext`), extension);
    openssl('req', ...EC, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    // prettier-ignore
    openssl('ca', '-batch', '-config', 'ca.cnf', '-in', `${name}.csr`, '-out', `${name}.pem`, '-notext',
      '-extfile', `${name}.ext`, '-startdate', time(from), '-enddate', time(until));
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  return {
    ca: ca.cert,
    good: sign('good', HERE, -1, 1),
    expired: sign('expired', HERE, -4, -2),
    otherHost: sign('other', 'subjectAltName=DNS:other.example', -1, 1),
    selfSigned: selfSign('self', '-days', '2', '-addext', HERE),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
