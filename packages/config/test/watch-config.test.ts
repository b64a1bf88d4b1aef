import { rename, rm, symlink } from 'node:fs/promises';
import type { Clock } from '@mcp-fittings/client-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerApprovals } from '../src/approval/approvals.js';
import { createFileApprovalStore } from '../src/approval/approval-store.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { watchConfig, type WatchConfigOptions } from '../src/watch/watch-config.js';
import { hasLinks, scratch, type Scratch, servers } from './support/scratch.js';

/**
 * A watcher whose clock stands still until a change is awaited, so that it never reads a half-written file. The events of
 * the file system are real.
 */
async function watching(
  place: Scratch,
  { layout = layouts.claude, ...more }: Partial<WatchConfigOptions> = {},
) {
  const seen: Changes[] = [];
  const pending = new Set<() => void>();
  let running = false;
  let wake = (): void => undefined;
  const clock: Clock = {
    now: () => 0,
    schedule(task, ms) {
      expect(ms).toBe(200);
      pending.add(task);
      // Only the last event of a burst counts.
      expect(pending.size).toBe(1);
      if (running) elapse();
      return { [Symbol.dispose]: () => void pending.delete(task) };
    },
  };
  const elapse = (): void => {
    for (const task of pending) {
      pending.delete(task);
      task();
    }
  };
  const watcher = await watchConfig({
    layout: place.here(layout),
    cwd: place.project,
    home: place.home,
    env: {},
    clock,
    onError: (error) => expect.fail(error.message),
    onChange: (changes) => {
      seen.push(changes);
      wake();
    },
    ...more,
  });
  onTestFinished(() => watcher.close());
  /** Advances the clock until there is a change. */
  const next = async (): Promise<Changes> => {
    running = true;
    elapse();
    for (;;) {
      const first = seen.shift();
      if (first !== undefined) {
        running = false;
        return first;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { watcher, next, seen };
}
const command = (name: string): object => ({ type: 'stdio', command: name });

type Changes = Parameters<NonNullable<WatchConfigOptions['onChange']>>[0];

describe('watchConfig', () => {
  it('reports added, changed and removed servers', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'a' }, b: { command: 'b' } }),
    });
    const { watcher, next } = await watching(place);
    expect(Object.keys(watcher.config.servers)).toEqual(['a', 'b']);
    await place.write('home/.claude.json', servers({ b: { command: 'b2' }, c: { command: 'c' } }));
    expect(await next()).toMatchObject({
      added: { c: command('c') },
      changed: { b: command('b2') },
      removed: ['a'],
    });
    expect(Object.keys(watcher.config.servers)).toEqual(['b', 'c']);
  });

  it('sees files that are created in new folders, deleted, and created again', async () => {
    const place = await scratch();
    const { next } = await watching(place, { layout: layouts.gemini });
    await place.write('home/.gemini/settings.json', servers({ a: { command: 'a' } }));
    expect(await next()).toMatchObject({ added: { a: command('a') } });
    await rm(place.path('home/.gemini'), { recursive: true });
    expect(await next()).toMatchObject({ removed: ['a'] });
    await place.write('home/.gemini/settings.json', servers({ b: { command: 'b' } }));
    expect(await next()).toMatchObject({ added: { b: command('b') } });
    await place.write('home/.gemini/settings.json', servers({ b: { command: 'b3' } }));
    expect(await next()).toMatchObject({ changed: { b: command('b3') } });
  });

  it('sees changes in a folder that was replaced by another one with its name', async () => {
    const place = await scratch({ 'home/.gemini/settings.json': servers({ a: { command: 'a' } }) });
    const { next } = await watching(place, { layout: layouts.gemini });
    await place.write('home/other/settings.json', servers({ b: { command: 'b' } }));
    await rename(place.path('home/.gemini'), place.path('home/old'));
    await rename(place.path('home/other'), place.path('home/.gemini'));
    expect(await next()).toMatchObject({ added: { b: command('b') }, removed: ['a'] });
    await place.write('home/.gemini/settings.json', servers({ c: { command: 'c' } }));
    expect(await next()).toMatchObject({ added: { c: command('c') }, removed: ['b'] });
  });

  it.runIf(hasLinks)('sees a file that is replaced, as editors do, and the target of a link', async () => {
    const place = await scratch({ 'home/dotfiles/claude.json': servers({ a: { command: 'a' } }) });
    await symlink('dotfiles/claude.json', place.path('home/.claude.json'));
    const { next } = await watching(place);
    await place.write('home/dotfiles/new.json', servers({ a: { command: 'a2' } }));
    await rename(place.path('home/dotfiles/new.json'), place.path('home/dotfiles/claude.json'));
    expect(await next()).toMatchObject({ changed: { a: command('a2') } });
  });

  it('a burst of events is one change, and an event without an effect is not reported', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { command: 'a' } }) });
    const { next, seen } = await watching(place);
    for (let index = 0; index < 10; index++) {
      await place.write('home/.claude.json', servers({ a: { command: String(index) } }));
    }
    expect(await next()).toMatchObject({ changed: { a: command('9') } });
    await place.write(
      'home/.claude.json',
      `// a comment\n${JSON.stringify(servers({ a: { command: '9' } }))}`,
    );
    await place.write('home/unrelated.json', '{}');
    await place.write('home/.claude.json', servers({ a: { command: 'last' } }));
    expect(await next()).toMatchObject({ changed: { a: command('last') } });
    expect(seen).toEqual([]);
  });

  it('a file that cannot be read is a problem, and its servers stay until it can be', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'a' }, b: { command: 'b' } }),
    });
    const { watcher, next } = await watching(place);
    const before = watcher.config;
    await place.write('home/.claude.json', '{ "mcpServers": ');
    expect(await next()).toEqual({ added: {}, changed: {}, removed: [] });
    expect(watcher.config.problems).toMatchObject([{ code: 'JSON_SYNTAX' }]);
    expect(watcher.config).toMatchObject({ servers: before.servers, identities: before.identities });
    expect(watcher.config.entries).toEqual(before.entries);
    await place.write('home/.claude.json', servers({ a: { command: 'a2' } }));
    expect(await next()).toMatchObject({ added: {}, changed: { a: command('a2') }, removed: ['b'] });
  });

  it('a server of a file that cannot be read is not replaced by one of another file', async () => {
    const own = JSON.stringify(servers({ a: { command: 'own' } }));
    const place = await scratch({ 'home/.claude.json': own });
    const { watcher, next } = await watching(place, { dynamic: { a: { command: 'of the program' } } });
    expect(watcher.config.servers['a']).toMatchObject({ command: 'of the program' });
    const managed = 'system/managed-mcp.json';
    await place.write(managed, servers({ a: { command: 'managed' } }));
    expect(await next()).toMatchObject({ changed: { a: command('managed') } });
    await place.write(managed, '{ "mcpServers": ');
    expect(await next()).toEqual({ added: {}, changed: {}, removed: [] });
  });

  it('a server of a file that cannot be read obeys what other files say meanwhile', async () => {
    const place = await scratch({
      'home/.claude.json': {
        ...servers({ a: { command: 'a' }, b: { command: 'b' } }),
        permissions: { deny: ['mcp__c'] },
      },
      'home/mine.json': servers({ c: { command: 'c' } }),
    });
    const mine = { scope: 'local', base: 'home', path: 'mine.json', servers: [['mcpServers']] } as const;
    const layout = { ...layouts.claude, sources: [...layouts.claude.sources, mine] };
    const { watcher, next } = await watching(place, { layout });
    const before = watcher.config.servers;
    expect(before).toMatchObject({ a: {}, b: {}, c: { deniedTools: ['*'] } });
    await place.write('home/.claude.json', '{ "mcpServers": ');
    expect(await next()).toEqual({ added: {}, changed: {}, removed: [] });
    expect(watcher.config.servers).toEqual(before);
    const off = { command: 'a', disabled: true };
    await place.write('home/mine.json', servers({ a: off, c: { command: 'c' } }));
    expect(await next()).toMatchObject({ changed: { a: off } });
    await place.write('system/managed-settings.json', { deniedMcpServers: [{ serverName: 'b' }] });
    expect(await next()).toMatchObject({ removed: ['b'] });
    await place.write('home/.claude.json', servers({}));
    expect(await next()).toMatchObject({ changed: { c: { command: 'c' } }, removed: [] });
  });

  it('an invalid policy still permits no server', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { command: 'a' } }) });
    const { next } = await watching(place);
    await place.write('system/managed-settings.json', '{ "deniedMcpServers": ');
    expect(await next()).toMatchObject({ removed: ['a'] });
  });

  it('a host follows: it gets the servers at once, and what changes after onChange has heard of it', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { command: 'a' } }) });
    const calls: unknown[] = [];
    const host = {
      connect: async (given: object) => void calls.push(['connect', Object.keys(given)]),
      remove: async (name: string) => void calls.push(['remove', name]),
    };
    const { next } = await watching(place, { host });
    expect(calls).toEqual([['connect', ['a']]]);
    await place.write('home/.claude.json', servers({ b: { command: 'b' } }));
    await next();
    await expect
      .poll(() => calls.slice(1))
      .toEqual([
        ['remove', 'a'],
        ['connect', ['b']],
      ]);
  });

  it('a host gets every change, also if onChange throws or the host cannot remove a server', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'a' }, b: { command: 'b' } }),
    });
    const connected: string[][] = [];
    const errors: string[] = [];
    const host = {
      connect: async (given: object) => void connected.push(Object.keys(given)),
      remove: async (name: string) => Promise.reject(new Error(`${name} stays`)),
    };
    const { watcher, next } = await watching(place, {
      host,
      onError: ({ message }) => errors.push(message),
      onChange: () => {
        throw new Error('the program failed');
      },
    });
    await place.write('home/.claude.json', servers({ c: { command: 'c' } }));
    void next();
    await expect.poll(() => connected).toEqual([['a', 'b'], ['c']]);
    expect(errors).toEqual(['the program failed', 'a stays', 'b stays']);
    expect(Object.keys(watcher.config.servers)).toEqual(['c']);
  });

  it('watches nothing if the host rejects the servers', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { command: 'a' } }) });
    const open = () => process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap').length;
    const before = open();
    const host = {
      connect: () => (expect(open()).toBeGreaterThan(before), Promise.reject(new Error('closed'))),
      remove: async () => undefined,
    };
    await expect(watching(place, { host })).rejects.toThrow('closed');
    await expect.poll(open).toBe(before);
  });

  it('applies a decision made elsewhere and a new policy at once', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ p: { command: 'p' } }) });
    const store = () => createFileApprovalStore({ path: place.path('home/deep/er/approvals.json') });
    const { watcher, next } = await watching(place, { approvals: createServerApprovals({ store: store() }) });
    const [pending] = watcher.config.entries;
    await createServerApprovals({ store: store() }).remember(pending!.approval!, 'always');
    expect(await next()).toMatchObject({ added: { p: command('p') } });
    await place.write('system/managed-settings.json', { deniedMcpServers: [{ serverName: 'p' }] });
    expect(await next()).toMatchObject({ removed: ['p'] });
  });

  it('follows the decisions that are stored by default', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ p: { command: 'p' } }) });
    const { watcher, next } = await watching(place);
    const store = createFileApprovalStore({ home: place.home });
    await createServerApprovals({ store }).remember(watcher.config.entries[0]!.approval!, 'always');
    expect(await next()).toMatchObject({ added: { p: command('p') } });
  });

  it('reports nothing after close(), which can be called twice', async () => {
    const place = await scratch({ 'home/.claude.json': servers({}) });
    const { watcher, seen } = await watching(place);
    await watcher.close();
    const other = await watching(place);
    await place.write('home/.claude.json', servers({ b: { command: 'b' } }));
    await other.next();
    expect(seen).toEqual([]);
    await watcher.close();
  });

  it('keeps the last configuration when the project disappears, and calls onError', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'a' } }),
      'project/sub/file': '',
    });
    const errors: Error[] = [];
    const { watcher, next } = await watching(place, {
      cwd: place.path('project/sub'),
      onError: (error) => errors.push(error),
    });
    await rename(place.path('project/sub'), place.path('project/away'));
    await place.write('home/.claude.json', servers({ b: { command: 'b' } }));
    const change = next();
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(Object.keys(watcher.config.servers)).toEqual(['a']);
    // The watcher continues as soon as the project exists again.
    await place.write('home/.claude.json', servers({ c: { command: 'c' } }));
    await rename(place.path('project/away'), place.path('project/sub'));
    expect(await change).toMatchObject({ added: { c: command('c') } });
  });
});
