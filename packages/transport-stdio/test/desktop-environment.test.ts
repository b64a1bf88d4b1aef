import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stdio } from '../src/index.js';
import { desktopEnvironment, type DesktopEnvironmentOptions } from '../src/desktop/desktop-environment.js';
import { untilDead } from './support/processes.js';

const SHORT = { PATH: '/usr/bin:/bin', USER: 'me', SECRET: 's' };
const FILE = '.cache/mcp-fittings/desktop/login-path.json';

/** A home directory, and what a program that the desktop starts in it gets. */
async function openHome(files: Readonly<Record<string, string>> = {}) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'fittings-desktop-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const open = (options: DesktopEnvironmentOptions = {}) =>
    desktopEnvironment({
      home,
      env: SHORT,
      terminal: false,
      shell: '/bin/bash',
      // A clock that stands: a shell has all the time of a busy machine.
      clock: createManualClock(),
      ...options,
    });
  return {
    home,
    write,
    open,
    folders: async (options?: DesktopEnvironmentOptions) => (await open(options))?.env['PATH']?.split(':'),
    askedTimes: async () => (await readFile(join(home, 'asked'), 'utf8').catch(() => '')).length,
  };
}

/** Startup files that count how often they run, and add a folder. */
const adding = (folder: string): string => `printf x >> "$HOME/asked"\nexport PATH="${folder}:$PATH"\n`;

describe.skipIf(process.platform === 'win32')('the PATH of a program that a desktop started', () => {
  it.each([
    ['/bin/bash', '.bash_profile'],
    ['/bin/sh', '.profile'],
  ])('is that of the login shell: %s', async (shell, file) => {
    const place = await openHome({ [file]: adding('$HOME/tools') });
    const desktop = await place.open({ shell });
    expect(desktop?.source).toBe('login shell');
    expect(desktop?.env).toMatchObject({ USER: 'me', SECRET: 's' });
    const folders = desktop?.env['PATH']?.split(':') ?? [];
    expect(folders[0]).toBe(join(place.home, 'tools'));
    expect(folders).toEqual(expect.arrayContaining(['/usr/bin', '/bin']));
    expect(new Set(folders).size).toBe(folders.length);
  });

  it('starts a server that finds its own tools', async () => {
    const place = await openHome({ '.bash_profile': adding('$HOME/tools') });
    await place.write('tools/my-server', `#!/usr/bin/env my-runtime\n`);
    const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';
    await place.write('tools/my-runtime', `#!/bin/sh\nread line\necho '${answer}'\ncat > /dev/null\n`);
    for (const name of ['my-server', 'my-runtime']) await chmod(join(place.home, 'tools', name), 0o755);
    const plugin = stdio({ parentEnv: (await place.open())?.env });
    const transport = plugin.create(
      { command: 'my-server' },
      { server: 'mine', clock: createManualClock(), signal: AbortSignal.timeout(240_000) },
    );
    const messages: unknown[] = [];
    transport.onmessage = (message) => void messages.push(message);
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(messages).toMatchObject([{ id: 1, result: {} }]);
    await transport.close();
  });

  it('is asked for once, and again after a day or a change of a startup file', async () => {
    const clock = createManualClock();
    const place = await openHome({ '.bash_profile': adding('/first') });
    for (const _program of [1, 2]) expect(await place.folders({ clock })).toContain('/first');
    expect(await place.askedTimes()).toBe(1);
    expect((await stat(join(place.home, FILE))).mode & 0o777).toBe(0o600);

    await place.write('.bash_profile', adding('/second'));
    await utimes(join(place.home, '.bash_profile'), 1, 1);
    expect(await place.folders({ clock })).toContain('/second');
    await place.folders({ clock });
    expect(await place.askedTimes()).toBe(2);

    await clock.advance(24 * 60 * 60 * 1000);
    await place.folders({ clock });
    expect(await place.askedTimes()).toBe(3);
    await place.folders({ clock, shell: '/bin/sh' });
    await place.folders({ clock, shell: '/bin/bash' });
    expect(await place.askedTimes()).toBe(4);
  });

  it('has nothing of the PATH that another program was started with', async () => {
    // As the shells of systems whose own startup files add to the PATH, and do not set it.
    const place = await openHome({ 'my-shell': '#!/bin/sh\nPATH="$PATH:/added"\neval "$2"\n' });
    const shell = join(place.home, 'my-shell');
    await chmod(shell, 0o755);
    const other = { ...SHORT, PATH: '/of-another-program:/usr/bin:/bin' };
    expect(await place.folders({ shell, env: other })).toContain('/of-another-program');
    expect(await place.folders({ shell })).toEqual(['/usr/bin', '/bin', '/added']);
  });

  it('is not read from a file that others can write, or with nonsense', async () => {
    const place = await openHome({ '.bash_profile': adding('/right') });
    await place.folders();
    const file = join(place.home, FILE);
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('/right', '/wrong'));
    expect(await place.folders()).toContain('/wrong');
    await chmod(file, 0o666);
    expect(await place.folders()).toContain('/right');
    await rm(file);
    for (const text of ['{', '[]', '{"shell":"/bin/bash","askedAt":"x","changes":[],"path":1}']) {
      await writeFile(file, text, { mode: 0o600 });
      expect(await place.folders()).toContain('/right');
    }
  });

  it('has no empty, relative or unprintable part, and none of the project', async () => {
    const place = await openHome();
    const project = join(place.home, 'repo');
    await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
    await symlink(project, join(place.home, 'link'));
    const parts = [
      '',
      '.',
      'bin',
      '$HOME/repo/node_modules/.bin',
      '$HOME/x/../repo',
      '$HOME/link',
      '$HOME/good',
    ];
    await place.write(
      '.bash_profile',
      `export PATH="${parts.join(':')}:/a\n/b:/c\u001b[0m:/usr/bin:$HOME/repo-2"`,
    );
    const expected = ['good', 'repo-2'].map((name) => join(place.home, name));
    expect(await place.folders({ project })).toEqual([expected[0], '/usr/bin', expected[1], '/bin']);
    // A home directory in a repository.
    expect(await place.folders({ project: place.home })).toContain(join(project, 'node_modules/.bin'));
  });

  it('ignores what startup files print, and gives them no other variable', async () => {
    const noise = `env > "$HOME/env"; echo '<hello>'; echo oops >&2; yes | head -c 100000\n`;
    const place = await openHome({ '.bash_profile': noise + adding('/right') });
    const env = { ...SHORT, ENV: '/x', BASH_ENV: '/x', ZDOTDIR: '/x', LD_PRELOAD_X: '/x' };
    expect((await place.folders({ env }))?.[0]).toBe('/right');
    const given = await readFile(join(place.home, 'env'), 'utf8');
    expect(given).not.toMatch(/=\/x$|^SECRET=/m);
    expect(given).toContain(`HOME=${place.home}`);
  });

  it.each([
    ['prints without end', 'echo $$ > "$HOME/pid"; exec yes'],
    ['ends at once', 'exit 3'],
    ['has too long a PATH', 'export PATH="/$(printf %040000d 0)"'],
    ['never ends', 'sleep 1000 & echo $$ > "$HOME/pid"; wait'],
  ])('is that of known folders, if the shell %s', async (what, text) => {
    const place = await openHome({ '.bash_profile': text, '.volta/bin/volta': '' });
    const clock = createManualClock();
    const opening = place.open({ clock });
    if (what === 'never ends') {
      await expect.poll(() => readFile(join(place.home, 'pid'), 'utf8').catch(() => '')).not.toBe('');
      await clock.advance(5000);
    }
    const desktop = await opening;
    expect(desktop?.source).toBe('known folders');
    expect(desktop?.env['PATH']?.split(':')).toContain(join(place.home, '.volta/bin'));
    const pid = Number(await readFile(join(place.home, 'pid'), 'utf8').catch(() => Number.NaN));
    if (!Number.isNaN(pid)) await untilDead(pid);
    await expect(stat(join(place.home, FILE))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['20', 'v20.11.1'],
    ['v18.19', 'v18.19.1'],
    ['lts/*', 'v22.3.0'],
    ['1', 'v22.3.0'],
  ])('has the version of nvm that its alias names: %s', async (alias, version) => {
    const place = await openHome({ '.nvm/alias/default': `${alias}\n` });
    for (const name of ['v9.0.0', 'v18.19.1', 'v18.2.0', 'v20.9.0', 'v20.11.1', 'v22.3.0', '.cache'])
      await mkdir(join(place.home, '.nvm/versions/node', name, 'bin'), { recursive: true });
    const folders = await place.folders({ shell: '/nonexistent/shell' });
    expect(folders?.filter((folder) => folder.includes('.nvm'))).toEqual([
      join(place.home, '.nvm/versions/node', version, 'bin'),
    ]);
  });

  it('is left alone if a terminal started the program, in CI, and if the shell adds nothing', async () => {
    const place = await openHome({ '.bash_profile': adding('/more') });
    expect(await place.open({ terminal: true })).toBeUndefined();
    for (const variable of ['TERM', 'CI'])
      expect(await place.open({ terminal: undefined, env: { ...SHORT, [variable]: 'x' } })).toBeUndefined();
    expect(await place.askedTimes()).toBe(0);
    await place.write('.bash_profile', 'export PATH=/usr/bin:/bin');
    expect(await place.open()).toBeUndefined();
  });
});
