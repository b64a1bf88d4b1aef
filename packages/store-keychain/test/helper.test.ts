import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { keychainStore, type KeychainStore, type KeychainStoreOptions } from '@mcp-fittings/store-keychain';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandOf, environmentOf, helpersOf, isRunning } from './support/processes.js';
import { runScript } from './support/script.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const CANARY = 'canary-1492-never-show-this';

let temporary: TemporaryDirectory;
let directory: string;
let open: KeychainStore[] = [];
beforeEach(async () => {
  temporary = await temporaryDirectory();
  directory = join(temporary.path, 'items');
  await mkdir(directory);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.map((store) => store[Symbol.asyncDispose]()));
  open = [];
  await temporary[Symbol.asyncDispose]();
});

/** A driver in a module, with a fault: see the module. */
function faulty(fault = ''): KeychainStoreOptions {
  const module = new URL('./support/drivers/file-keytar.mjs', import.meta.url);
  module.search = `directory=${encodeURIComponent(directory)}&${fault}`;
  return { driver: { module } };
}

function opened(options: KeychainStoreOptions): KeychainStore {
  const store = keychainStore({
    lockDirectory: join(temporary.path, 'locks'),
    timeoutMs: 20_000,
    // The signs of life of the locks use the manual clock too, and come later than everything that is checked here.
    lock: { staleMs: 1_000_000 },
    ...options,
  });
  open.push(store);
  return store;
}

/** The only running helper. */
async function theHelper(): Promise<number> {
  await vi.waitUntil(() => helpersOf(process.pid).length === 1, { interval: 5, timeout: 20_000 });
  return helpersOf(process.pid)[0] ?? 0;
}

/** Resolves when the helper has received the call. */
async function underWay(clock: ManualClock, timeoutMs: number): Promise<void> {
  await vi.waitUntil(() => clock.nextIn === timeoutMs, { interval: 1, timeout: 20_000 });
}

const failure = (state: string): object => ({
  code: 'STORE_UNAVAILABLE',
  kind: 'auth',
  details: { state },
});

describe('a driver that fails', () => {
  it('a crash in native code is a typed error; the host continues, and the next call gets a new helper', async () => {
    const store = opened(faulty('segfault'));
    await expect(store.get('key')).rejects.toMatchObject(failure('unavailable'));
    await expect(store.get('key')).rejects.toThrow('SIGSEGV');
    expect(await store.status()).toMatchObject({ state: 'unavailable' });
    await expect(store.set('key', {})).rejects.toMatchObject(failure('unavailable'));
  });

  for (const fault of ['hang', 'spin']) {
    it(`a call that hangs (${fault}) times out after 2.5 s, and its helper is killed`, async () => {
      const clock = createManualClock();
      const store = opened({ ...faulty(fault), clock, timeoutMs: undefined });
      const call = store.get('key').catch((error: unknown) => error);
      await underWay(clock, 2500);
      const helper = await theHelper();
      await clock.advance(2499);
      expect(isRunning(helper)).toBe(true);
      await clock.advance(1);
      expect(await call).toMatchObject(failure('timeout'));
      await vi.waitUntil(() => !isRunning(helper), { interval: 5, timeout: 20_000 });
    });
  }

  it('lets only the first of several callers wait for a keychain that does not reply', async () => {
    const clock = createManualClock();
    const store = opened({ ...faulty('hang'), clock, timeoutMs: 1000 });
    const calls = ['a', 'b', 'c'].map((key) => store.get(key).catch((error: unknown) => error));
    await underWay(clock, 1000);
    await clock.advance(1000);
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject(failure('timeout'));
    expect(await store.status()).toMatchObject({ state: 'timeout' });
    expect(clock.now()).toBe(1000);
    expect(clock.pending).toBe(0);
    // Later the keychain is asked again.
    await clock.advance(1000);
    const again = store.get('key').catch((error: unknown) => error);
    await underWay(clock, 1000);
    await clock.advance(1000);
    expect(await again).toMatchObject(failure('timeout'));
  });

  it('names a driver or a Node that is not there, and refuses a module without the functions of keytar', async () => {
    const missing = join(temporary.path, 'no-such-keytar.js');
    const status = await opened({ driver: { module: missing } }).status();
    expect(status).toMatchObject({ state: 'unavailable', driver: missing });
    expect(status.error?.hint).toContain('installed');
    const other = await opened({ ...faulty(), execPath: join(temporary.path, 'node') }).status();
    expect(other).toMatchObject({ state: 'unavailable' });
    expect(other.error?.message).toContain('ENOENT');
    const foreign = opened({ driver: { module: import.meta.resolve('./support/processes.ts') } });
    expect(await foreign.status()).toMatchObject({ state: 'unavailable' });
  });

  it('ignores what a driver writes to stdout', async () => {
    const store = opened({ driver: { module: import.meta.resolve('./support/drivers/noisy-keytar.mjs') } });
    const values = Array.from({ length: 30 }, (_, n) => ({ n }));
    await Promise.all(values.map((value, n) => store.set(`key ${n}`, value)));
    expect(await Promise.all(values.map((_, n) => store.get(`key ${n}`)))).toEqual(values);
  });
});

describe('the helper process', () => {
  it('starts at the first use, serves many calls, and ends when the store is disposed', async () => {
    const store = opened(faulty());
    expect(helpersOf(process.pid)).toEqual([]);
    await store.set('key', { a: 1 });
    const helper = await theHelper();
    await Promise.all(['a', 'b', 'c'].map((key) => store.set(key, { key })));
    expect(helpersOf(process.pid)).toEqual([helper]);
    await store[Symbol.asyncDispose]();
    expect(isRunning(helper)).toBe(false);
    await store[Symbol.asyncDispose]();
    expect(await store.get('key')).toEqual({ a: 1 });
  });

  it('rejects a pending call with a typed error when the store is disposed', async () => {
    const store = opened(faulty('hang'));
    const call = store.get('key').catch((error: unknown) => error);
    await theHelper();
    await store[Symbol.asyncDispose]();
    expect(await call).toMatchObject(failure('unavailable'));
    expect(helpersOf(process.pid)).toEqual([]);
  });

  it('ends after ten seconds without a call, and is started again by the next one', async () => {
    const clock = createManualClock();
    const store = opened({ ...faulty(), clock });
    await store.set('key', { a: 1 });
    const first = await theHelper();
    await clock.advance(9999);
    expect(isRunning(first)).toBe(true);
    await clock.advance(1);
    await vi.waitUntil(() => !isRunning(first), { interval: 5, timeout: 20_000 });
    expect(await store.get('key')).toEqual({ a: 1 });
    expect(await theHelper()).not.toBe(first);
  });

  it('is started again after another program has killed it', async () => {
    const store = opened(faulty());
    await store.set('key', { a: 1 });
    const helper = await theHelper();
    process.kill(helper, 'SIGKILL');
    await vi.waitUntil(() => !isRunning(helper), { interval: 5, timeout: 20_000 });
    await expect.poll(() => store.get('key').catch(() => undefined)).toEqual({ a: 1 });
  });

  it('does not end at Ctrl-C, which a terminal sends to it too, because the host may still have to save tokens', async () => {
    const store = opened(faulty());
    await store.set('key', { a: 1 });
    const helper = await theHelper();
    process.kill(helper, 'SIGINT');
    await store.set('key', { a: 2 });
    expect(await theHelper()).toBe(helper);
  });

  it('does not start the host again when the host program was started as its own helper', async () => {
    vi.stubEnv('MCP_FITTINGS_OWN_PROGRAM', '1');
    const store = opened(faulty());
    await expect(store.get('key')).rejects.toMatchObject({ ...failure('unavailable'), retryable: false });
    expect(await store.status()).toMatchObject({
      state: 'unavailable',
      error: { hint: expect.stringContaining('in-process') as string },
    });
    expect(helpersOf(process.pid)).toEqual([]);
  });
});

describe('the process of the host', () => {
  const program = (fault: string, rest: string): string => `
    import { keychainStore } from '@mcp-fittings/store-keychain';
    const store = keychainStore(${JSON.stringify({
      driver: { module: String((faulty(fault).driver as { module: URL }).module) },
      lockDirectory: join(temporary.path, 'locks'),
      timeoutMs: 1000,
    })});
    ${rest}`;

  it('exits by itself, with the helper, even if nothing was disposed', async () => {
    const { child, said, ended } = runScript(
      program('', `await store.set('key', {a: 1}); console.log('stored');`),
    );
    await said;
    expect(await ended).toEqual({ status: 0, errors: '' });
    await vi.waitUntil(() => helpersOf(child.pid ?? 0).length === 0, { interval: 5, timeout: 20_000 });
    expect(await opened(faulty()).get('key')).toEqual({ a: 1 });
  });

  it('exits by itself when the keychain hangs, with a typed error', async () => {
    const { said, ended } = runScript(
      program('hang', `await store.get('key').catch((e) => console.log(e.details.state));`),
    );
    expect(await said).toBe('timeout');
    expect(await ended).toEqual({ status: 0, errors: '' });
  });

  it('exits after a store is disposed at the end of a module', async () => {
    const { ended } = runScript(
      program('', `await store.set('key', {}); await store[Symbol.asyncDispose]();`),
    );
    expect(await ended).toEqual({ status: 0, errors: '' });
  });

  it('ends the helper when it is killed, even a helper that hangs', async () => {
    const rest = `store.get('key').catch(() => {}); setTimeout(() => {}, 60_000); console.log('started');`;
    const script = runScript(program('hang', rest).replace('"timeoutMs":1000', '"timeoutMs":60000'));
    await script.said;
    await vi.waitUntil(() => existsSync(join(directory, 'hangs')), { interval: 5, timeout: 20_000 });
    const [helper = 0] = helpersOf(script.child.pid ?? 0);
    script.child.kill('SIGKILL');
    await script.ended;
    await vi.waitUntil(() => !isRunning(helper), { interval: 5, timeout: 20_000 });
  });

  it('does not load native code when the package is imported and a store is created', async () => {
    const { said } = runScript(`
      import { keychainStore } from '@mcp-fittings/store-keychain';
      keychainStore();
      keychainStore({ driver: '@github/keytar', isolation: 'in-process' });
      process.report.excludeNetwork = true;
      const native = () => process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node')).length;
      const before = native();
      await import('@napi-rs/keyring');
      console.log(JSON.stringify({ before, after: native() }));`);
    expect(JSON.parse(await said)).toEqual({ before: 0, after: 1 });
  });
});

describe('secrets', () => {
  it('are not in argv, environment, errors, inspection or names, and those of the host do not reach the helper', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', `${CANARY}-of-the-host`);
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    vi.stubEnv('NAPI_RS_NATIVE_LIBRARY_PATH', '/evil.node');
    const store = opened(faulty());
    await store.set(`${CANARY}-key`, { accessToken: CANARY, long: CANARY.repeat(100) });
    const helper = await theHelper();
    for (const text of [commandOf(helper), environmentOf(helper)]) expect(text).not.toContain(CANARY);
    expect(environmentOf(helper)).not.toMatch(/NODE_OPTIONS|NAPI_RS/);
    expect(environmentOf(helper)).toContain('MCP_FITTINGS_OWN_PROGRAM=1');
    expect(inspect(store, { depth: 20, showHidden: true, getters: true })).not.toContain(CANARY);

    const errors = await Promise.all(
      ['segfault', 'dieAtSet=1'].map((fault) =>
        opened(faulty(fault))
          .set('key', { accessToken: CANARY })
          .then(
            () => undefined,
            (error: unknown) => error,
          ),
      ),
    );
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      const shown = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}${String(error)}`;
      expect(shown).not.toContain(CANARY);
    }
  });

  it('are not written to the host\u2019s stdout and stderr', async () => {
    const noisy = import.meta.resolve('./support/drivers/noisy-keytar.mjs');
    const { child, ended } = runScript(`
      import { keychainStore } from '@mcp-fittings/store-keychain';
      const store = keychainStore({ driver: { module: ${JSON.stringify(noisy)} }, lockDirectory: ${JSON.stringify(join(temporary.path, 'locks'))} });
      await store.set('key', { token: 'x' });`);
    let output = '';
    child.stdout?.on('data', (text: Buffer) => {
      output += text.toString();
    });
    expect(await ended).toEqual({ status: 0, errors: '' });
    expect(output).toBe('');
  });
});
