import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { type Server, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkSocketOwner, listenOnPrivateSocket } from '@mcp-fittings/toolbox/private-socket';

let folder: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-socket-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(folder, { recursive: true });
});

/** A server that says its name to each client that connects. */
function speaker(name: string): Server {
  // A server that looks whether another listens connects and leaves at once.
  const server = createServer((socket) => socket.on('error', () => undefined).end(name));
  servers.push(server);
  return server;
}

const heardAt = (path: string): Promise<string> => text(createConnection(path));

describe.skipIf(process.platform === 'win32')('a private socket', () => {
  it('has mode 0600, leaves nothing beside it, and is removed at the end', async () => {
    const path = join(folder, 'a.sock');
    const before = process.umask(0);
    let remove: () => void;
    try {
      remove = await listenOnPrivateSocket(speaker('us'), path);
    } finally {
      process.umask(before);
    }
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a.sock']);
    expect(await heardAt(path)).toBe('us');
    remove();
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces a socket that a killed process has left', async () => {
    const path = join(folder, 'stale.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect((await lstat(path)).isSocket()).toBe(true);
    await listenOnPrivateSocket(speaker('us'), path);
    expect(await heardAt(path)).toBe('us');
    expect(await readdir(folder)).toEqual(['stale.sock']);
  });

  it('does not replace a socket on which a process listens, nor a file, nor a link', async () => {
    const taken = join(folder, 'taken.sock');
    await once(speaker('them').listen(taken), 'listening');
    const file = join(folder, 'file.sock');
    await writeFile(file, 'precious');
    const link = join(folder, 'link.sock');
    await symlink(file, link);
    for (const path of [taken, file, link]) {
      const server = speaker('us');
      await expect(listenOnPrivateSocket(server, path)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        hint: expect.any(String),
      });
      expect(server.listening).toBe(false);
    }
    expect((await readdir(folder)).toSorted()).toEqual(['file.sock', 'link.sock', 'taken.sock']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await heardAt(taken)).toBe('them');
  });

  it('of several processes that start at once, one gets the path', async () => {
    const path = join(folder, 'raced.sock');
    const names = Array.from({ length: 8 }, (_, index) => `number ${index}`);
    const started = await Promise.allSettled(names.map((name) => listenOnPrivateSocket(speaker(name), path)));
    const winners = names.filter((_, index) => started[index]?.status === 'fulfilled');
    expect(winners).toEqual([await heardAt(path)]);
  });

  it('is not removed at the end if another process has replaced it', async () => {
    const path = join(folder, 'replaced.sock');
    const remove = await listenOnPrivateSocket(speaker('us'), path);
    await rm(path);
    await once(speaker('them').listen(path), 'listening');
    remove();
    expect(await heardAt(path)).toBe('them');
  });

  it('is refused in a directory in which another user could replace it', async () => {
    const shared = join(folder, 'shared');
    await mkdir(join(shared, 'below'), { recursive: true, mode: 0o700 });
    for (const mode of [0o777, 0o770]) {
      await chmod(shared, mode);
      for (const path of [join(shared, 's.sock'), join(shared, 'below', 's.sock')]) {
        await expect(listenOnPrivateSocket(speaker('us'), path)).rejects.toMatchObject({
          code: 'CONFIG_INVALID',
          message: expect.stringContaining('Another user'),
        });
      }
    }
    // The parent of what a link leads to, not of the link.
    await mkdir(join(folder, 'home'));
    await symlink(join('..', 'shared', 'below'), join(folder, 'home', 'link'));
    await chmod(shared, 0o777);
    await expect(listenOnPrivateSocket(speaker('us'), `${folder}/home/link/../s.sock`)).rejects.toMatchObject(
      { message: expect.stringContaining('Another user') },
    );
    // Like /tmp.
    await chmod(shared, 0o1777);
    await listenOnPrivateSocket(speaker('us'), join(shared, 's.sock'));
  });

  it.each([
    ['a relative path', 'gateway.sock'],
    ['a directory that does not exist', '/nowhere/at/all/gateway.sock'],
  ])('refuses %s', async (_what, path) => {
    await expect(listenOnPrivateSocket(speaker('us'), path)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.any(String),
    });
  });
});

describe.skipIf(process.platform === 'win32')('the owner of a socket that is connected to', () => {
  const OTHER_USER = 65_534;

  it('is this user or root, also behind a link', async () => {
    const path = join(folder, 'own.sock');
    await once(speaker('us').listen(path), 'listening');
    const link = join(folder, 'link.sock');
    await symlink(path, link);
    await checkSocketOwner(path);
    await checkSocketOwner(link);
    vi.spyOn(process, 'geteuid').mockReturnValue(OTHER_USER);
    // A server of the system.
    if ((await lstat(path)).uid === 0) await checkSocketOwner(path);
  });

  it('is not another user', async () => {
    const path = join(folder, 'theirs.sock');
    await once(speaker('them').listen(path), 'listening');
    // Only root can give a file away. Another user looks as if it was someone else.
    if (process.geteuid?.() === 0) await chown(path, OTHER_USER, OTHER_USER);
    else vi.spyOn(process, 'geteuid').mockReturnValue(OTHER_USER);
    const { uid } = await lstat(path);
    await expect(checkSocketOwner(path)).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      details: { uid },
      hint: expect.any(String),
    });
  });

  it('is not asked for where no socket is', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(checkSocketOwner(file)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    // To connect says why.
    await checkSocketOwner(join(folder, 'nothing'));
  });
});
