import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** A private authority, a server that it knows as `localhost` and 127.0.0.1, and a client. */
export interface Pki extends AsyncDisposable {
  readonly folder: string;
  readonly ca: string;
  readonly server: Identity;
  readonly client: Identity;
  /** The client's key, encrypted. */
  readonly encryptedKey: string;
  readonly passphrase: string;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const PASSPHRASE = 'open sesame';

/** Needs the `openssl` command. */
export async function createPki(): Promise<Pki> {
  const folder = await mkdtemp(join(tmpdir(), 'transport-ws-pki-'));
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  await openssl(
    'req',
    '-x509',
    ...CURVE,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  const issue = async (name: string, extension: string): Promise<Identity> => {
    await writeFile(join(folder, `${name}.ext`), extension);
    await openssl('req', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    await openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signing,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
    return { cert: await read(`${name}.pem`), key: await read(`${name}.key`) };
  };
  const server = await issue('server', 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const client = await issue('client', 'extendedKeyUsage=clientAuth');
  await openssl('ec', '-in', 'client.key', '-aes256', '-passout', `pass:${PASSPHRASE}`, '-out', 'locked.key');
  return {
    folder,
    ca: await read('ca.pem'),
    server,
    client,
    encryptedKey: await read('locked.key'),
    passphrase: PASSPHRASE,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
