import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../../../../scripts/free-port.mjs';
import { dieWithUs } from './die-with-us.js';

export interface RedisServerOptions {
  /** Writes everything to the disk before it replies, so that it can be killed and restarted. */
  readonly persistent?: boolean;
  /** The only node of a cluster. */
  readonly cluster?: boolean;
  /** Replicates this server. */
  readonly replicaOf?: RedisServer;
  /** TLS only, with a user `fittings` that has only the permissions that the stores need. */
  readonly secured?: { readonly password: string };
}

/** A real `redis-server` on a free port of 127.0.0.1, with nothing in it. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Certificate of its authority, with TLS. */
  readonly ca: string | undefined;
  /** Runs one command through redis-cli, with all permissions. */
  cli(...command: string[]): Promise<string>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Starts it on the same port and data. */
  start(): Promise<void>;
  suspend(): void;
  resume(): void;
}

const run = promisify(execFile);

export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { persistent = false, cluster = false, replicaOf, secured } = options;
  const folder = await mkdtemp(join(tmpdir(), 'store-redis-'));
  const port = await freePort();
  const tls = secured === undefined ? undefined : await certificates(folder);
  const args = [
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    folder,
    '--repl-diskless-sync-delay',
    '0',
    ...(tls === undefined
      ? ['--port', String(port)]
      : ['--port', '0', '--tls-port', String(port), ...tls.args]),
    ...(persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']),
    ...(cluster ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] : []),
    ...(replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', String(replicaOf.port)]),
    ...(secured === undefined ? [] : ['--aclfile', await aclFile(folder, secured.password)]),
  ];
  let child: ChildProcess;

  const start = async (): Promise<void> => {
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    dieWithUs(child);
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const said: string[] = [];
    const ready = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        said.push(line);
        if (/Ready to accept connections/.test(line)) resolve();
      });
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`redis-server ended: ${said.slice(-5).join('\n')}`);
    });
    ended.catch(() => undefined);
    await Promise.race([ready, ended]);
  };
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  await start();

  return {
    port,
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    ca: tls?.ca,
    async cli(...command) {
      const access =
        tls === undefined ? [] : ['--tls', '--cacert', tls.ca, '--user', 'admin', '--pass', 'admin'];
      const { stdout } = await run('redis-cli', ['-p', String(port), ...access, ...command]);
      return stdout.trim();
    },
    start,
    kill,
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The user of the README's ACL example. */
async function aclFile(folder: string, password: string): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, rights] = /^ACL SETUSER fittings on >\S+ (.+)$/m.exec(readme) ?? [];
  if (rights === undefined) throw new Error('the README has no ACL');
  const file = join(folder, 'users.acl');
  await writeFile(
    file,
    `user default off\nuser admin on >admin ~* +@all\nuser fittings on >${password} ${rights}\n`,
  );
  return file;
}

async function certificates(
  folder: string,
): Promise<{ readonly ca: string; readonly args: readonly string[] }> {
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  await run('openssl', [
    'req',
    '-x509',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    ca,
    ...curve,
    ...names,
  ]);
  return {
    ca,
    args: [
      '--tls-cert-file',
      ca,
      '--tls-key-file',
      key,
      '--tls-ca-cert-file',
      ca,
      '--tls-auth-clients',
      'no',
    ],
  };
}
