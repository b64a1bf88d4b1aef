import { execFile } from 'node:child_process';
import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { lstat, mkdir, readFile, readdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Clock, ServerConfig } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { createFileApprovalStore } from '../src/approval/approval-store.js';
import { withFileLock, writeError } from '../src/files/file-lock.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { answering, hasLinks, scratch, servers } from './support/scratch.js';

const run = promisify(execFile);
const OTHER = fileURLToPath(new URL('support/add-servers.mjs', import.meta.url));
const MODES = { mode: 0o600, directoryMode: 0o700 };

/** Simulates a suspended process: its lock becomes stale, so that another process acquires it. */
async function age(lock: string): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
}

/** Writes a member into a JSON file with the lock, and runs `meanwhile` between reading and writing. */
async function addMember(path: string, key: string, meanwhile: () => Promise<unknown>): Promise<void> {
  let first = true;
  await withFileLock(path, MODES, async (write) => {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (first) await meanwhile();
    first = false;
    await write(JSON.stringify({ ...(JSON.parse(text ?? '{}') as object), [key]: true }), text);
  });
}

describe('a write is fenced', () => {
  it('a writer that lost its lock while suspended does not overwrite a change of another process', async () => {
    const place = await scratch({ 'home/.claude.json': '{}' });
    const path = place.path('home/.claude.json');
    await addMember(path, 'suspended', async () => {
      await age(`${path}.lock`);
      await run(process.execPath, [OTHER, place.home, place.project, 'other', '3']);
    });
    expect(Object.keys((await place.json(path)) as object)).toEqual(['mcpServers', 'suspended']);
    expect(await place.json(path)).toMatchObject({ mcpServers: { other0: {}, other1: {}, other2: {} } });
    expect(await readdir(place.home)).toEqual(['.claude.json']);
  });

  it('a writer that lost its lock does not release the lock of another process', async () => {
    const place = await scratch({ 'home/x.json': '{}' });
    const path = place.path('home/x.json');
    const order: string[] = [];
    await addMember(path, 'suspended', async () => {
      // Another process now holds the lock with a folder of its own and has not written yet. The old folder is renamed, not
      // removed: a file system may give the inode of a removed folder to the new one.
      await rename(`${path}.lock`, place.path('home/old-lock'));
      await mkdir(`${path}.lock`);
      setTimeout(() => {
        order.push('other');
        void writeFile(path, '{"other":true}').then(() => age(`${path}.lock`));
      }, 50);
    });
    order.push('suspended');
    expect(order).toEqual(['other', 'suspended']);
    expect(await place.json(path)).toEqual({ other: true, suspended: true });
  });

  it.each([
    ['waits while other writers write', 5 * 60_000],
    ['does not wait for ever for a writer that does not write', 0],
  ])('%s', async (_, busyMs) => {
    const place = await scratch({ 'home/x.json': '{}' });
    const path = place.path('home/x.json');
    mkdirSync(`${path}.lock`);
    let now = 0;
    const clock: Clock = {
      now: () => now,
      schedule(task, ms) {
        now += ms;
        if (now < busyMs) utimesSync(path, now, now);
        else if (busyMs > 0) rmdirSync(`${path}.lock`);
        setImmediate(task);
        return { [Symbol.dispose]: () => undefined };
      },
    };
    const writing = withFileLock(path, { ...MODES, clock }, (write) => write('mine', '{}'));
    if (busyMs > 0) await writing;
    else await expect(writing).rejects.toMatchObject({ code: 'TIMEOUT' });
    const end = busyMs === 0 ? 75_000 : busyMs;
    expect(now).toBeGreaterThanOrEqual(end);
    expect(now).toBeLessThan(end + 1000);
    expect(await readFile(path, 'utf8')).toBe(busyMs > 0 ? 'mine' : '{}');
  });

  it('does not overwrite a program that takes no lock', async () => {
    const place = await scratch({ 'home/x.json': '{}' });
    const path = place.path('home/x.json');
    await addMember(path, 'mine', () => writeFile(path, '{"theirs":true}'));
    expect(await place.json(path)).toEqual({ theirs: true, mine: true });
    const fresh = place.path('home/fresh.json');
    await addMember(fresh, 'mine', () => writeFile(fresh, '{"theirs":true}'));
    expect(await place.json(fresh)).toEqual({ theirs: true, mine: true });
  });

  it('writes of approvals are fenced too', async () => {
    const place = await scratch();
    const project = { id: 'p', root: '/p' };
    const decision = { decision: 'always', hash: 'h', at: 1 } as const;
    const store = createFileApprovalStore({ home: place.home, platform: 'linux' });
    await store.write(project, 'first', decision);
    const path = store.file ?? '';
    await withFileLock(path, MODES, async (write) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('second')) {
        await age(`${path}.lock`);
        await store.write(project, 'second', decision);
      }
      const content = JSON.parse(text) as { projects: object };
      await write(JSON.stringify({ ...content, projects: { ...content.projects } }), text);
    });
    expect([...(await store.read('p')).keys()]).toEqual(['first', 'second']);
  });

  it('a file that keeps changing rejects with TIMEOUT and keeps the other program’s text', async () => {
    const place = await scratch({ 'home/x.json': '0' });
    const path = place.path('home/x.json');
    let count = 0;
    await expect(
      withFileLock(path, MODES, async (write) => {
        const text = await readFile(path, 'utf8');
        await writeFile(path, String(++count));
        await write('mine', text);
      }),
    ).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(await readFile(path, 'utf8')).toBe(String(count));
    expect(await readdir(place.home)).toEqual(['x.json']);
  });
});

/** Puts something that is not a lock where one would be. */
async function obstruct(lock: string, kind: string): Promise<void> {
  if (kind === 'a file') await writeFile(lock, 'x');
  else await mkdir(lock);
  if (kind.includes('something')) await writeFile(join(lock, 'x'), '');
  const future = new Date(Date.now() + 86_400_000);
  if (kind.includes('future')) await utimes(lock, future, future);
}

describe('what the editor writes and where', () => {
  it.each([
    ['a key that JavaScript gives a meaning to', '{"command":"x","env":{"__proto__":"y"}}'],
    ['one deep inside', '{"command":"x","other":[{"constructor":{"a":1}}]}'],
    ['one of the entry itself', '{"command":"x","__proto__":{"a":1}}'],
    ['half a character', '{"command":"x","args":["\\ud800"]}'],
    ['values nested too deep', `{"command":"x","other":${'['.repeat(80)}${']'.repeat(80)}}`],
  ])('refuses %s, because the loader would reject it', async (_, text) => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'y' } }) });
    const entry = JSON.parse(text) as ServerConfig;
    const editor = place.editor();
    const before = await readFile(place.path('home/.claude.json'), 'utf8');
    for (const change of [
      () => editor.addServer({ name: 'n', scope: 'user', entry }),
      () => editor.addServer({ name: 's', scope: 'user', entry, replace: true }),
      () => editor.updateServer({ name: 's', scope: 'user', fields: entry }),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }
    expect(await readFile(place.path('home/.claude.json'), 'utf8')).toBe(before);
  });

  it.runIf(hasLinks).each(['file', 'folder'])('a broken link to a %s stays a link', async (kind) => {
    const place = await scratch();
    const [link, layout] =
      kind === 'file' ? ['home/.claude.json', layouts.claude] : (['home/.gemini', layouts.gemini] as const);
    await symlink(place.path('dotfiles/gone'), place.path(link));
    await expect(
      place.editor({ layout }).addServer({ name: 'n', scope: 'user', entry: { command: 'x' } }),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('broken symbolic link') as string,
    });
    expect((await lstat(place.path(link))).isSymbolicLink()).toBe(true);
  });

  it.runIf(hasLinks)('does not replace a broken link with approvals', async () => {
    const place = await scratch();
    const path = place.path('home/approvals.json');
    await symlink(place.path('gone'), path);
    const write = createFileApprovalStore({ path }).write({ id: 'p', root: '/p' }, 's', {
      decision: 'never',
      hash: '',
      at: 1,
    });
    await expect(write).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
  });

  it.each(['a file', 'a folder with something in it', 'an empty folder', 'a folder of the future'])(
    '%s named .mcp.json.lock in a clone does not block a write',
    async (kind) => {
      const place = await scratch();
      const lock = place.path('project/.mcp.json.lock');
      await obstruct(lock, kind);
      const before = await stat(lock);
      await place.editor().addServer({ name: 'n', scope: 'project', entry: { command: 'x' } });
      expect(await place.json('project/.mcp.json')).toEqual(servers({ n: { command: 'x' } }));
      // The lock of another process was not touched.
      expect((await stat(lock)).mtimeMs).toBe(before.mtimeMs);
      const config = await place.load({ layout: layouts.mcpJson, approvals: answering('once') });
      expect(Object.keys(config.servers)).toEqual(['n']);
    },
  );

  it.each(['a file', 'a folder with something in it', 'a folder of the future'])(
    'reports %s at the path of a lock in the home directory at once',
    async (kind) => {
      const place = await scratch();
      const lock = place.path('home/.claude.json.lock');
      await obstruct(lock, kind);
      const adding = place.editor().addServer({ name: 'n', scope: 'user', entry: { command: 'x' } });
      await expect(adding).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('.claude.json.lock') as string,
      });
    },
    3_000,
  );
});

describe('a full disk', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'])('%s is not CONFIG_READ_ONLY', (code) => {
    const cause = Object.assign(new Error(code), { code });
    expect(writeError('/x', cause)).toMatchObject({ code: 'CONFIG_WRITE_FAILED', cause });
  });

  it.each(['EACCES', 'EROFS', 'EPERM'])('%s is', (code) => {
    expect(writeError('/x', Object.assign(new Error(code), { code })).code).toBe('CONFIG_READ_ONLY');
  });

  it.runIf(process.platform !== 'win32')(
    'a write that the system truncates leaves the file unchanged and rejects',
    async () => {
      const place = await scratch({ 'home/x.json': 'old' });
      const module = new URL('../dist/files/file-lock.js', import.meta.url).href;
      const script = `
      process.on('SIGXFSZ', () => {});
      const { withFileLock } = await import(${JSON.stringify(module)});
      const path = ${JSON.stringify(place.path('home/x.json'))};
      await withFileLock(path, { mode: 0o600, directoryMode: 0o700 }, (write) => write('y'.repeat(100_000), 'old')).then(
        () => console.log('written'), (error) => console.log(error.code));`;
      const { stdout } = await run('bash', [
        '-c',
        'ulimit -f 64; exec "$0" --input-type=module -e "$1"',
        process.execPath,
        script,
      ]);
      expect(stdout.trim()).toBe('CONFIG_WRITE_FAILED');
      expect(await readFile(place.path('home/x.json'), 'utf8')).toBe('old');
    },
  );
});
