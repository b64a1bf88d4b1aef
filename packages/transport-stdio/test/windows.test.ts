import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  promises,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRunning, until } from './support/processes.js';
import { startToy, toyClient } from './support/toy-client.js';

const TOY = fileURLToPath(new URL('support/toy-server.mjs', import.meta.url));

/** Arguments that arrive unchanged in a batch file too. */
const PLAIN = [
  'a b',
  '',
  'ü日本😀',
  'a&calc',
  'a|b',
  '^',
  'a>b',
  '(x)',
  '!PATH!',
  'a b\\',
  '\\\\share\\x',
  "it's",
  '*',
];
/** Arguments that only a program can get. */
const SPECIAL = ['x"y', '%PATH%', '{"a":1}', 'a\nb', '\\"', 'a\tb'];

describe.runIf(process.platform === 'win32')('on Windows', () => {
  let folder: string;
  let nodejs: string;
  const batch = (name: string, ending = '\r\n'): void =>
    writeFileSync(join(folder, name), ['@echo off', `"${process.execPath}" "${TOY}" %*`, ''].join(ending));
  beforeAll(() => {
    folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'stdio-'))), 'Program Files Ünï 日本');
    mkdirSync(join(folder, 'WindowsApps'), { recursive: true });
    nodejs = join(folder, 'nodejs');
    mkdirSync(join(nodejs, 'node_modules/npm/bin'), { recursive: true });
    copyFileSync(process.execPath, join(nodejs, 'node.exe'));
    for (const name of ['py', 'uvx']) linkSync(join(nodejs, 'node.exe'), join(nodejs, `${name}.exe`));
    // As Node.js is installed. The batch file would fail.
    writeFileSync(join(nodejs, 'npx.cmd'), 'exit /b 1\r\n');
    const script = `import(${JSON.stringify(pathToFileURL(TOY).href)});`;
    writeFileSync(join(nodejs, 'node_modules/npm/bin/npx-cli.js'), script);
    batch('tool.cmd');
    batch('old.bat');
  });
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 10 }));
  const env = (): Record<string, string> => ({ PATH: [folder, process.env['PATH']].join(delimiter) });

  it('passes every argument to a program, byte for byte', async () => {
    await using client = await startToy({ args: [TOY, ...PLAIN, ...SPECIAL], cwd: folder });
    expect(await client.result('argv')).toEqual({ argv: [...PLAIN, ...SPECIAL] });
    expect(await client.result('cwd')).toEqual({ cwd: folder });
  });

  it.each(['tool', 'TOOL.CMD', 'old'])(
    'finds the batch file %s by PATHEXT, and passes plain arguments',
    async (command) => {
      await using client = await startToy({ command, args: PLAIN, env: env() });
      expect(await client.result('argv')).toEqual({ argv: PLAIN });
    },
  );

  it('passes every argument to npx, whose batch file is not run', async () => {
    const args = [...PLAIN, ...SPECIAL];
    await using client = await startToy({ command: 'npx', args, env: { PATH: nodejs } });
    expect(await client.result('argv')).toEqual({ argv: args });
  });

  it.each(['py', 'uvx', 'UVX.exe'])('finds the program %s by PATHEXT', async (command) => {
    const env = { Path: nodejs, PATHEXT: '.JS;.EXE' };
    await using client = await startToy({ command, args: [TOY, 'a b\\'], env });
    expect(await client.result('argv')).toEqual({ argv: ['a b\\'] });
  });

  it('passes one variable of a name, however it is written', async () => {
    await using client = await startToy({
      env: { path: nodejs, temp: 'X:', Same_Name: 'a', same_name: 'b' },
    });
    const { env: given } = (await client.result('env')) as { env: Record<string, string> };
    const named = (name: string): unknown =>
      Object.entries(given).filter(([key]) => key.toLowerCase() === name);
    expect(named('path')).toEqual([['path', nodejs]]);
    expect(named('temp')).toEqual([['temp', 'X:']]);
    expect(named('same_name')).toEqual([['Same_Name', 'a']]);
  });

  it.each([
    ['a backslash at its end', (path: string) => `${path}\\`],
    ['slashes', (path: string) => path.replaceAll('\\', '/')],
    ['another case', (path: string) => path.replace(/^\w/, (drive) => drive.toLowerCase())],
  ])('starts in a folder that is written with %s', async (_, write) => {
    await using client = await startToy({ cwd: write(folder) });
    const { cwd } = await client.result('cwd');
    expect(String(cwd).toLowerCase()).toBe(folder.toLowerCase());
  });

  it.each([String.raw`\\127.0.0.1\missing\x`, 'NUL', 'Q:x'])(
    'says that the folder %s is not one',
    async (cwd) => {
      await using client = toyClient({ cwd });
      await expect(client.transport.start()).rejects.toMatchObject({ code: 'CWD_INVALID' });
    },
  );

  it.each(SPECIAL)('refuses to pass %j to a batch file', async (argument) => {
    await using client = toyClient({ command: 'tool', args: [argument], env: env() });
    await expect(client.transport.start()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('starts an alias of the Microsoft Store, which Windows lets no one open', async () => {
    const alias = join(folder, 'WindowsApps', 'python.exe');
    copyFileSync(process.execPath, alias);
    const { stat } = promises;
    promises.stat = (async (path: string, ...more: []) => {
      if (path.toLowerCase() === alias.toLowerCase())
        throw Object.assign(new Error(`EACCES: permission denied, stat '${alias}'`), { code: 'EACCES' });
      return stat(path, ...more);
      // A stand-in for one of several signatures.
    }) as typeof stat;
    syncBuiltinESMExports();
    onTestFinished(() => {
      promises.stat = stat;
      syncBuiltinESMExports();
    });
    for (const [command, path] of [
      ['python', dirname(alias)],
      [alias, ''],
    ] as const) {
      const client = await startToy({ command, args: [TOY], env: { PATH: path } });
      expect(await client.result('argv')).toEqual({ argv: [] });
      await client.transport.close();
    }
  });

  it.each([
    ['percent', String.raw`%SystemRoot%\system32\cmd.exe`, /does not exist/],
    ['quoted', `"${process.execPath}"`, /does not exist/],
    ['one line', String.raw`C:\Program Files\nodejs\node.exe server.js`, /put them into `args`/],
    ['a script', 'server.ps1', /was not found in the/],
  ])('says what is wrong with a command that is %s', async (_, command, message) => {
    await using client = toyClient({ command });
    const error: unknown = await client.transport.start().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    expect(`${String(error)} ${String(Reflect.get(Object(error), 'hint'))}`).toMatch(message);
  });

  it('ends a server and what it started, also if it ignores the end of stdin', async () => {
    const client = await startToy({
      args: [TOY, '--ignore-stdin-end'],
      shutdown: { afterStdinEndMs: 50, afterSigtermMs: 5000 },
    });
    const pid = client.transport.pid ?? 0;
    const { pid: child } = await client.result('grandchild');
    await client.transport.close();
    await until(() => !isRunning(pid) && !isRunning(Number(child)));
    expect(client.errors).toEqual([]);
  });

  // Wine says nothing when a program closes the pipe that is its stdout.
  it.runIf(process.env['UNDER_WINE'] === undefined)(
    'notices a server that closes stdout and stays',
    async () => {
      const code = 'require("fs").closeSync(1); setInterval(() => {}, 1000)';
      await using client = await startToy({ args: ['-e', code] });
      expect(await client.closed).toMatchObject({ code: 'CONNECTION_LOST' });
      const pid = client.transport.pid ?? 0;
      await until(() => !isRunning(pid));
    },
  );
});
