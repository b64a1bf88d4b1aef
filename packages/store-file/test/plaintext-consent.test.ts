import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { fileStore } from '@mcp-fittings/store-file';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

let temporary: TemporaryDirectory;
let path: string;
beforeEach(async () => {
  temporary = await temporaryDirectory();
  path = join(temporary.path, 'store');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await temporary[Symbol.asyncDispose]();
});

const DENIED = { code: 'POLICY_DENIED', kind: 'auth' };

/** The files of entries, without the consent and the locks. */
async function entries(where: string = path): Promise<string[]> {
  const names = await readdir(where).catch(() => []);
  return names.filter((name) => name !== 'locks' && name !== 'plaintext-consent.json');
}

it('writes nothing without consent, and says what to do', async () => {
  const error: unknown = await fileStore({ path })
    .set('key', { token: 't' })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ ...DENIED, hint: expect.stringContaining('keychain') as string });
  expect(await entries()).toEqual([]);
});

it('accepts only `true` as consent, and asks again after a refusal', async () => {
  for (const answer of [false, undefined, 1, 'true', {}]) {
    const consent = vi.fn(() => answer as boolean);
    const store = fileStore({ path, consent });
    await expect(store.set('key', {})).rejects.toMatchObject(DENIED);
    await expect(store.set('key', {})).rejects.toMatchObject(DENIED);
    expect(consent).toHaveBeenCalledTimes(2);
  }
  expect(await entries()).toEqual([]);
});

it('does not accept an environment variable as consent', async () => {
  const names = [
    'CONSENT',
    'PLAINTEXT_CONSENT',
    'MCP_PLAINTEXT',
    'MCP_FITTINGS_CONSENT',
    'MCP_FITTINGS_PLAINTEXT',
  ];
  for (const name of names) vi.stubEnv(name, 'true');
  const read: string[] = [];
  const environment = process.env;
  // Whatever its name: no variable is read.
  process.env = new Proxy(environment, {
    get(target, name) {
      read.push(String(name));
      return Reflect.get(target, name);
    },
  });
  try {
    await expect(fileStore({ path }).set('key', {})).rejects.toMatchObject(DENIED);
  } finally {
    process.env = environment;
  }
  expect(read).toEqual([]);
});

it('records consent once, with the directory and the time, and does not ask again', async () => {
  const consent = vi.fn(async () => true);
  const clock = createManualClock({ now: Date.UTC(2026, 0, 2) });
  const store = fileStore({ path, consent, clock });
  await Promise.all(['a', 'b', 'c'].map((key) => store.set(key, { key })));
  expect(consent.mock.calls).toEqual([[{ path }]]);
  expect(JSON.parse(await readFile(join(path, 'plaintext-consent.json'), 'utf8'))).toEqual({
    plaintext: true,
    path,
    at: '2026-01-02T00:00:00.000Z',
  });
  await fileStore({ path }).set('d', {});
  expect(await entries()).toHaveLength(4);
});

it('does not accept consent recorded for another directory', async () => {
  await fileStore({ path, consent: () => true }).set('key', {});
  const copy = join(temporary.path, 'copy');
  await cp(path, copy, { recursive: true });
  await expect(fileStore({ path: copy }).set('key', {})).rejects.toMatchObject(DENIED);
});

it('does not accept a damaged record, or one that others can read', async () => {
  await fileStore({ path, consent: () => true }).set('key', {});
  await writeFile(join(path, 'plaintext-consent.json'), '{"plaintext":"yes"');
  await expect(fileStore({ path }).set('key', {})).rejects.toMatchObject(DENIED);
});

it('asks for consent only before a write, not before a read', async () => {
  const consent = vi.fn(() => true);
  const store = fileStore({ path, consent });
  expect(await store.get('key')).toBeUndefined();
  await store.delete('key');
  await store.withLock('key', async () => undefined);
  expect(consent).not.toHaveBeenCalled();
});

it('keeps the error of a consent callback that fails', async () => {
  const consent = (): boolean => {
    throw new Error('no terminal');
  };
  await expect(fileStore({ path, consent }).set('key', {})).rejects.toMatchObject({
    code: 'CALLBACK_FAILED',
    kind: 'auth',
    cause: { message: 'no terminal' },
  });
});
