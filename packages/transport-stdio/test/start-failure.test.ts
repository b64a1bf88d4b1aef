import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { TransportError } from '@mcp-fittings/client-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStdioTransport } from '../src/index.js';
import { describeEnd } from '../src/process/process-exit.js';
import { explainSpawnError } from '../src/process/spawn-failure.js';
import { createStderrTail } from '../src/process/stderr-tail.js';
import { toyClient, type ToyOptions } from './support/toy-client.js';

/** What is about signals, modes, shebangs, or paths that begin with a slash is not about Windows. */
const posix = process.platform !== 'win32';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stdio-'));
  mkdirSync(join(folder, 'directory'));
  writeFileSync(join(folder, 'plain'), 'text');
  writeFileSync(join(folder, 'orphan.sh'), '#!/does/not/exist\n');
  chmodSync(join(folder, 'orphan.sh'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function failure(options: ToyOptions): Promise<TransportError> {
  await using client = toyClient(options);
  const error: unknown = await client.transport.start().then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof TransportError)) throw new Error(`not a TransportError: ${String(error)}`);
  expect(client.closes).toEqual([]);
  expect(error.message).toMatch(/^Server "toy": /);
  return error;
}

describe('a server that cannot be started', () => {
  it('the whole command is the name of the program: no shell splits it', async () => {
    const error = await failure({ command: 'echo hi; touch pwned', cwd: folder });
    expect(error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      kind: 'config',
      retryable: false,
      hint: expect.stringContaining('`args`'),
      details: { command: 'echo hi; touch pwned' },
    });
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('a slash in an argument does not make the command a path; a path may contain spaces', async () => {
    const error = await failure({ command: 'npx -y @scope/x', cwd: folder });
    expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND', hint: expect.stringContaining('`args`') });
    const path = await failure({ command: './My Programs/x', cwd: folder });
    expect(path).toMatchObject({ code: 'COMMAND_NOT_FOUND', hint: expect.stringContaining('`cwd`') });
  });

  it('says how many directories were searched, and what to install', async () => {
    const error = await failure({
      command: 'uvx',
      env: { PATH: [folder, join(folder, 'nowhere')].join(delimiter) },
    });
    expect(error.message).toContain('The command "uvx" was not found in the 2 directories of the PATH.');
    expect(error.hint).toMatch(/^Install uv .*full path/);
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
  });

  it.each<[string, () => ToyOptions, string, RegExp]>([
    [
      'a path that does not exist',
      () => ({ command: './nope', cwd: folder }),
      'COMMAND_NOT_FOUND',
      /The command "\.\/nope" does not exist\./,
    ],
    [
      'a file as a directory',
      () => ({ command: join(folder, 'plain/x') }),
      'COMMAND_NOT_FOUND',
      /does not exist/,
    ],
    [
      'a script whose interpreter is missing',
      () => ({ command: './orphan.sh', cwd: folder }),
      'COMMAND_NOT_FOUND',
      /interpreter/,
    ],
    [
      'a script on the PATH whose interpreter is missing',
      () => ({ command: 'orphan.sh', env: { PATH: folder } }),
      'COMMAND_NOT_FOUND',
      /interpreter/,
    ],
    [
      'a file that is not a program',
      () => ({ command: join(folder, 'plain') }),
      'COMMAND_NOT_EXECUTABLE',
      posix ? /EACCES/ : /has no extension/,
    ],
    [
      'a directory',
      () => ({ command: join(folder, 'directory') }),
      'COMMAND_NOT_EXECUTABLE',
      posix ? /EACCES/ : /is a directory/,
    ],
    [
      'a cwd that does not exist',
      () => ({ cwd: join(folder, 'nope') }),
      'CWD_INVALID',
      /nope" does not exist/,
    ],
    [
      'a cwd that is a file',
      () => ({ cwd: join(folder, 'plain') }),
      'CWD_INVALID',
      /plain" is not a directory/,
    ],
    [
      'a missing command in a missing cwd',
      () => ({ command: 'nope', cwd: '/nope' }),
      'CWD_INVALID',
      /does not exist/,
    ],
    ['an empty command', () => ({ command: ' ' }), 'CONFIG_INVALID', /empty/],
    ['NUL in an argument', () => ({ args: ['a\0b'] }), 'CONFIG_INVALID', /NUL/],
    ['NUL in a variable', () => ({ env: { A: 'a\0b' } }), 'CONFIG_INVALID', /NUL/],
  ])('%s is a typed error', async (_, options, code, message) => {
    const error = await failure(options());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it.runIf(posix)('reports an argument list that is too long for the system', async () => {
    const error = await failure({ args: Array.from({ length: 64 }, () => 'x'.repeat(100_000)) });
    expect(error).toMatchObject({ code: 'SPAWN_FAILED', hint: expect.stringContaining('too long') });
  });

  it('tells a user of macOS how to release a downloaded program', async () => {
    const cause = Object.assign(new Error('spawn tool EPERM'), { code: 'EPERM' });
    const explained = await explainSpawnError(cause, { command: 'tool', env: {}, platform: 'darwin' });
    expect(explained).toMatchObject({
      code: 'COMMAND_NOT_EXECUTABLE',
      options: { hint: expect.stringContaining('com.apple.quarantine') },
    });
    const ended = (signal: string | null, platform: NodeJS.Platform): unknown =>
      describeEnd(
        { kind: 'exited', exitCode: null, signal },
        'tool',
        createStderrTail({ redact: (text) => text }),
        '',
        platform,
      ).options.hint;
    expect(ended('SIGKILL', 'darwin')).toBe(explained.options.hint);
    for (const hint of [ended('SIGKILL', 'linux'), ended('SIGTERM', 'darwin')])
      expect(hint).toMatch(/^It wrote nothing to stderr/);
  });

  it.each<[NodeJS.Platform, string, string, string, RegExp]>([
    ['linux', 'x', 'EAGAIN', 'SPAWN_FAILED', /processes/],
    ['win32', 'node', 'ENAMETOOLONG', 'SPAWN_FAILED', /too long/],
    [
      'win32',
      'python',
      'ENOENT',
      'COMMAND_NOT_FOUND',
      /^Install Python, whose command may be .*`py`, .*older PATH/,
    ],
    ['win32', 'NPX.CMD', 'ENOENT', 'COMMAND_NOT_FOUND', /^Install Node\.js/],
    [
      'win32',
      String.raw`C:\tools\server.ps1`,
      'ENOEXEC',
      'COMMAND_NOT_EXECUTABLE',
      /powershell with -NoProfile and -File/,
    ],
  ])('on %s, tells the user of %s what to do about %s', async (platform, command, cause, code, hint) => {
    const error = Object.assign(new Error(`spawn ${command} ${cause}`), { code: cause });
    const explained = await explainSpawnError(error, { command, env: { PATH: '' }, platform });
    expect(explained).toMatchObject({ code, options: { hint: expect.stringMatching(hint) } });
    expect(explained.options.hint).not.toMatch(/nvm|Homebrew|execute permission/);
  });

  it('contains no argument and no variable, however it is inspected', async () => {
    const secret = 'canary-7f3a9';
    for (const options of [
      { command: 'nope', args: [`--token=${secret}`], env: { KEY: secret } },
      { args: [`${secret}\0`] },
      { cwd: '/nope', args: [secret] },
    ]) {
      const error = await failure(options);
      const shown =
        inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error.stack);
      expect(shown).not.toContain('canary');
    }
  });
});

it.each([['node server.js'], [undefined], [{ args: ['server.js'] }]])(
  'without a command, as JavaScript can call it: %j',
  (options) => {
    const create: unknown = createStdioTransport;
    if (typeof create !== 'function') throw new Error('not a function');
    expect(() => Reflect.apply(create, undefined, [options])).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'createStdioTransport() requires the option `command`, a string.',
        hint: expect.stringContaining("{ command: 'node'"),
      }),
    );
  },
);
