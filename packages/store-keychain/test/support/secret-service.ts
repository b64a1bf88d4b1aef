import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

/** The programs of `apt-get install gnome-keyring dbus libsecret-tools dbus-tests` that are missing. */
export function missingComponents(): readonly string[] {
  return ['dbus-daemon', SEND, 'dbus-test-tool', 'gnome-keyring-daemon', 'secret-tool'].filter(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
}

/**
 * `keyring`: gnome-keyring, unlocked. `uninitialized`: gnome-keyring without a collection, and without a user to create one.
 * `absent`: a session bus without the service. `hanging`: a service that never replies.
 */
export type ServiceKind = 'keyring' | 'uninitialized' | 'absent' | 'hanging';

/** A separate session bus, and the process that owns the name of the Secret Service on it. */
export interface SecretService {
  /** Points `process.env` to it, until `vi.unstubAllEnvs()`. */
  enter(): void;
  /** Locks the keyring, like a user or a screen saver, until `recover()` or `restart()`. */
  lock(): void;
  /** Number of items in the keyring. */
  countItems(): number;
  /** Deletes the items of one service. The daemon writes all items for each change, so leftovers make it slow. */
  clear(service: string): Promise<void>;
  /** Restarts the daemon with the same files and the same password. */
  restart(): Promise<void>;
  /**
   * For `afterEach`: rejects when the daemon ended by itself, so that only that test fails, and restarts it for the next
   * ones with an empty keyring. If it crashed by its own defect, the message is `OWN_CRASH`, after which
   * `vitest.system.config.ts` repeats the test.
   */
  assertAlive(): Promise<void>;
  /** Ends the daemon like a crash, without a restart. */
  kill(): Promise<void>;
  /**
   * For `afterEach` of tests that share the daemon: like `assertAlive()`, and resets the daemon: it runs, is unlocked, and
   * has no items of the test.
   */
  recover(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Of the error after which a test is repeated. */
export const OWN_CRASH = 'gnome-keyring-daemon crashed by its own defect';

const SEND = 'dbus-send';
const MEMORY = '/dev/shm';
const NAME = 'org.freedesktop.secrets';
const COLLECTION = '/org/freedesktop/secrets/collection/login';
const PASSWORD = 'test-pass';
/**
 * What it says last when it aborts in a reply to a client that it does not know, or about an item that is gone: version 42.1, in about one
 * of six runs.
 * @see https://gitlab.gnome.org/GNOME/gnome-keyring/-/work_items/199
 */
const OWN_DEFECT = "g_variant_new: expected GVariant of type 'v' but received value has type '(null)'";

/** The limits of a desktop's session bus; without them it accepts only 256 connections. */
const BUS_WITHOUT_SERVICES = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<limit name="max_connections_per_user">100000</limit><limit name="max_completed_connections">100000</limit>
<limit name="max_incomplete_connections">10000</limit><limit name="auth_timeout">240000</limit>
<limit name="max_replies_per_connection">50000</limit>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`;

export async function startSecretService(kind: ServiceKind): Promise<SecretService> {
  // The daemon writes its whole file for each item, which is ten times faster in memory.
  const home = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'secret-service-'));
  const runtime = join(home, 'run');
  mkdirSync(join(home, '.local', 'share'), { recursive: true });
  mkdirSync(runtime, { mode: 0o700 });
  const config = join(home, 'bus.conf');
  writeFileSync(config, BUS_WITHOUT_SERVICES);

  const environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_RUNTIME_DIR: runtime,
  };
  const children: ChildProcess[] = [];
  /** The last output of each to stderr. */
  const said = new Map<ChildProcess, string>();
  const start = (program: string, args: readonly string[], input?: string): ChildProcess => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(program, args, { env: environment, stdio: [stdin, 'pipe', 'pipe'] });
    child.stderr?.on('data', (text: Buffer) => {
      said.set(child, `${said.get(child) ?? ''}${text.toString()}`.slice(-2000));
    });
    child.stdin?.end(input);
    children.push(child);
    return child;
  };

  // The bus does not start services by itself: a daemon that it starts in place of a dead one would be locked in every test
  // that follows.
  const bus = start('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address=1']);
  environment['DBUS_SESSION_BUS_ADDRESS'] = await firstLine(bus);

  const send = (...args: readonly string[]): string =>
    spawnSync(SEND, ['--session', '--print-reply', ...args], { env: environment, encoding: 'utf8' }).stdout;
  const hasOwner = (): boolean =>
    send('--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner', `string:${NAME}`).includes(
      'true',
    );

  const startService = async (): Promise<ChildProcess | undefined> => {
    if (kind === 'absent') return undefined;
    const daemon = ['--foreground', '--components=secrets'];
    const service =
      kind === 'hanging'
        ? start('dbus-test-tool', ['black-hole', `--name=${NAME}`])
        : start('gnome-keyring-daemon', kind === 'keyring' ? [...daemon, '--unlock'] : daemon, PASSWORD);
    await vi.waitUntil(hasOwner, { timeout: 10_000, interval: 10 });
    return service;
  };
  let service = await startService();
  let isLocked = false;
  let isOurDoing = false;
  const restart = async (): Promise<void> => {
    if (service !== undefined) await ended(service);
    await vi.waitUntil(() => !hasOwner(), { timeout: 10_000, interval: 10 });
    service = await startService();
    isLocked = false;
    isOurDoing = false;
  };
  const hasEnded = (): boolean =>
    service !== undefined && (service.exitCode !== null || service.signalCode !== null);
  const assertAlive = async (): Promise<void> => {
    if (service === undefined || !hasEnded()) return;
    const how = service.signalCode ?? `exit code ${service.exitCode}`;
    if (service.stderr?.closed === false) await once(service.stderr, 'close');
    const last = said.get(service)?.trim() ?? '';
    const name = service.spawnfile;
    // The dead daemon could not delete what the test had stored.
    await rm(join(home, '.local', 'share', 'keyrings'), { recursive: true, force: true });
    await restart();
    if (last.includes(OWN_DEFECT)) throw new Error(OWN_CRASH);
    throw new Error(
      `${name} ended by itself (${how}) in this test; it was started again. It said: ${last || 'nothing'}`,
    );
  };
  const clear = async (name: string): Promise<void> => {
    // It exits with 1 when there are none.
    await once(start('secret-tool', ['clear', 'service', name]), 'close');
  };

  return {
    enter() {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', environment['DBUS_SESSION_BUS_ADDRESS']);
      vi.stubEnv('XDG_RUNTIME_DIR', runtime);
      vi.stubEnv('DISPLAY', undefined);
      vi.stubEnv('WAYLAND_DISPLAY', undefined);
    },
    lock() {
      const method = 'org.freedesktop.Secret.Service.Lock';
      isLocked = true;
      send(`--dest=${NAME}`, '/org/freedesktop/secrets', method, `array:objpath:${COLLECTION}`);
    },
    countItems() {
      const method = 'org.freedesktop.DBus.Properties.Get';
      const items = send(
        `--dest=${NAME}`,
        COLLECTION,
        method,
        'string:org.freedesktop.Secret.Collection',
        'string:Items',
      );
      return items.split('object path').length - 1;
    },
    clear,
    restart,
    assertAlive,
    async kill() {
      isOurDoing = true;
      if (service !== undefined) await ended(service);
      await vi.waitUntil(() => !hasOwner(), { timeout: 10_000, interval: 10 });
    },
    async recover() {
      const died = isOurDoing ? undefined : await assertAlive().catch((error: unknown) => error);
      if (isLocked || hasEnded()) await restart();
      await clear('mcp-fittings');
      if (died !== undefined) throw died;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(ended));
      await rm(home, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended before it said its address`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
}
