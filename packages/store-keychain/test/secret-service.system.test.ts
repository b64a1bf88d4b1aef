import { join } from 'node:path';
import { keychainStore, type KeychainStore, type KeychainStoreOptions } from '@mcp-fittings/store-keychain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { helpersOf, socketsOf } from './support/processes.js';
import { describeWithSecretService } from './support/describe-with-secret-service.js';
import { startSecretService, type SecretService, type ServiceKind } from './support/secret-service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const DRIVERS = ['@napi-rs/keyring', '@github/keytar'] as const;
const VALUE = { accessToken: 'a', refreshToken: 'r' };

// One daemon for the suite. A test that locks or ends it leaves a working one for the next test.
let keyring: SecretService | undefined;
let temporary: TemporaryDirectory;
let open: KeychainStore[] = [];
beforeEach(async () => {
  temporary = await temporaryDirectory();
});
afterEach(async () => {
  await Promise.all(open.map((store) => store[Symbol.asyncDispose]()));
  open = [];
  vi.unstubAllEnvs();
  await temporary[Symbol.asyncDispose]();
  await keyring?.recover();
});
afterAll(async () => {
  await keyring?.[Symbol.asyncDispose]();
});

async function enter(): Promise<SecretService> {
  keyring ??= await startSecretService('keyring');
  keyring.enter();
  return keyring;
}

/** A bus on which the service is missing or broken, for the tests of one block. */
function onBrokenService(kind: Exclude<ServiceKind, 'keyring'>): void {
  let broken: SecretService;
  beforeAll(async () => {
    broken = await startSecretService(kind);
  });
  beforeEach(() => broken.enter());
  afterAll(() => broken[Symbol.asyncDispose]());
}

function opened(options: KeychainStoreOptions = {}): KeychainStore {
  const store = keychainStore({
    lockDirectory: join(temporary.path, 'locks'),
    timeoutMs: 20_000,
    ...options,
  });
  open.push(store);
  return store;
}

describeWithSecretService('a working Secret Service', () => {
  for (const driver of DRIVERS) {
    it(`${driver}: is available, and leaves no test item behind`, async () => {
      const service = await enter();
      const store = opened({ driver });
      expect(await store.status()).toEqual({ state: 'available', driver });
      await store.set('key', VALUE);
      expect(service.countItems()).toBe(1);
    });
  }

  it('does not show the items of one driver through another, and never switches drivers by itself', async () => {
    await enter();
    await opened().set('key', VALUE);
    expect(await opened({ driver: '@github/keytar' }).get('key')).toBeUndefined();
    await opened({ driver: '@github/keytar' }).set('key', { other: true });
    expect(await opened().get('key')).toEqual(VALUE);
  });

  // Starts the helper a dozen times: on a machine with many times more work than cores that takes over half a minute.
  it('finds a whole value whenever the helper was killed', async () => {
    await enter();
    const writer = opened();
    const reader = opened();
    const valueOf = (n: number): { n: number; text: string } => ({
      n,
      text: String(n % 10).repeat(4000 + n),
    });
    await reader.set('key', valueOf(0));
    const readers = new Set(helpersOf(process.pid));
    const helpers = (): number[] => helpersOf(process.pid).filter((pid) => !readers.has(pid));
    let kills = 0;
    for (let n = 1; kills < rounds(12); n++) {
      let isSettled = false;
      const write = writer
        .set('key', valueOf(n))
        .catch((error: unknown) => error)
        .finally(() => (isSettled = true));
      // A write that the writer sent to the helper killed before ends with an error, and without a new helper.
      await vi.waitUntil(() => isSettled || helpers().length > 0, { interval: 1, timeout: 30_000 });
      // A little later in the write each time.
      for (let reads = 0; reads < kills; reads++) await reader.get('other');
      const alive = helpers();
      for (const pid of alive) process.kill(pid, 'SIGKILL');
      if (alive.length > 0) kills++;
      await write;
      const stored = await reader.get('key');
      expect(stored).toEqual(valueOf(Number(stored?.['n'])));
    }
    await writer.set('key', { done: true });
    expect(await reader.get('key')).toEqual({ done: true });
  }, 120_000);
});

describeWithSecretService('a service that goes away', () => {
  for (const driver of DRIVERS) {
    it(`${driver}: is "unavailable" while it is gone, and works again when it is back`, async () => {
      const service = await enter();
      const store = opened({ driver });
      const long = { text: 'x'.repeat(5000) };
      await store.set('key', VALUE);
      await store.set('long', long);
      await service.kill();
      const gone = { code: 'STORE_UNAVAILABLE', kind: 'auth', retryable: true };
      await expect(store.get('key')).rejects.toMatchObject(gone);
      await expect(store.set('key', {})).rejects.toMatchObject(gone);
      expect(await store.status()).toMatchObject({ state: 'unavailable', error: gone });
      await service.restart();
      expect(await store.get('key')).toEqual(VALUE);
      expect(await opened({ driver }).get('long')).toEqual(long);
    });
  }

  it('many calls keep few connections to the bus open', async () => {
    await enter();
    const store = opened();
    const most = { sockets: 0 };
    for (let n = 0; n < 60; n++) {
      await store.get(`key ${n % 5}`);
      for (const helper of helpersOf(process.pid)) most.sockets = Math.max(most.sockets, socketsOf(helper));
    }
    // Sixteen, one that is closing, and the pipes between the helper and this process.
    expect(most.sockets).toBeGreaterThan(2);
    expect(most.sockets).toBeLessThan(24);
  });
});

describeWithSecretService('a keyring that is locked', () => {
  for (const driver of DRIVERS) {
    it(`${driver}: is "locked"; the stored sign-in is not absent, not replaced, not deleted`, async () => {
      const service = await enter();
      const writer = opened({ driver });
      await writer.set('key', VALUE);
      service.lock();
      const store = opened({ driver });
      const locked = {
        code: 'STORE_LOCKED',
        kind: 'auth',
        retryable: true,
        details: { state: 'locked', driver },
      };
      await expect(store.get('key')).rejects.toMatchObject(locked);
      await expect(store.set('key', { other: true })).rejects.toMatchObject(locked);
      await expect(store.delete('key')).rejects.toMatchObject(locked);
      expect(await store.status()).toMatchObject({ state: 'locked', driver, error: locked });
      // And for a store that has already written.
      await expect(writer.get('key')).rejects.toMatchObject(locked);
      await expect(writer.set('key', {})).rejects.toMatchObject(locked);
      await service.restart();
      expect(await opened({ driver }).get('key')).toEqual(VALUE);
    });
  }
});

describeWithSecretService('a bus without the service', () => {
  onBrokenService('absent');
  for (const driver of DRIVERS) {
    it(`${driver}: is "unavailable", for reads too`, async () => {
      const store = opened({ driver });
      const unavailable = unavailableIn(driver);
      expect(await store.status()).toMatchObject({ state: 'unavailable', error: unavailable });
      // And not "no such item" of the kernel keyring, which does not survive a restart.
      await expect(store.get('key')).rejects.toMatchObject(unavailable);
      await expect(store.set('key', VALUE)).rejects.toMatchObject(unavailable);
      await expect(store.delete('key')).rejects.toMatchObject(unavailable);
    });
  }
});

describeWithSecretService('a service without a keyring', () => {
  onBrokenService('uninitialized');
  for (const driver of DRIVERS) {
    it(`${driver}: is "unavailable" when it cannot create one`, async () => {
      const store = opened({ driver });
      const unavailable = unavailableIn(driver);
      expect(await store.status()).toMatchObject({ state: 'unavailable', error: unavailable });
      await expect(store.set('key', VALUE)).rejects.toMatchObject(unavailable);
    });
  }
});

function unavailableIn(driver: string): object {
  return { code: 'STORE_UNAVAILABLE', kind: 'auth', details: { state: 'unavailable', driver } };
}

describeWithSecretService('a service that never replies', () => {
  onBrokenService('hanging');
  for (const driver of DRIVERS) {
    it(`${driver}: is a "timeout", and the host continues`, async () => {
      const store = opened({ driver, timeoutMs: 1000 });
      let ticks = 0;
      const ticking = setInterval(() => ticks++, 10);
      const timeout = { code: 'STORE_UNAVAILABLE', retryable: true, details: { state: 'timeout', driver } };
      await expect(store.get('key')).rejects.toMatchObject(timeout);
      clearInterval(ticking);
      // A second of ticks, less on a busy machine; a thread that hangs has none.
      expect(ticks).toBeGreaterThan(10);
      // No test waits until a killed process has exited.
      await vi.waitUntil(() => helpersOf(process.pid).length === 0, { interval: 5, timeout: 10_000 });
      expect(await store.status()).toMatchObject({ state: 'timeout', error: timeout });
      await expect(store.set('key', VALUE)).rejects.toMatchObject(timeout);
    });
  }
});

describe('without a session bus', () => {
  beforeEach(() => {
    for (const name of ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY'])
      vi.stubEnv(name, undefined);
  });

  for (const driver of DRIVERS) {
    it.runIf(process.platform === 'linux')(
      `${driver}: is "unavailable" at once, without starting a process`,
      async () => {
        // If a process were started, this would be the error.
        const store = opened({ driver, execPath: '/no/such/node' });
        const status = await store.status();
        expect(status).toMatchObject({ state: 'unavailable', driver });
        expect(status.error?.message).toContain('D-Bus session');
        await expect(store.get('key')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await expect(store.set('key', VALUE)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      },
    );
  }
});
