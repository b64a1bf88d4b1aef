import { describe, expect, it } from 'vitest';
import { findProgram, type Program, type ProgramFiles } from '@mcp-fittings/toolbox/programs';

/** Windows with these files, by path; its current folder is `C:\clone`. */
function windows(contents: Readonly<Record<string, string>>) {
  const known = new Map(Object.entries(contents).map(([path, text]) => [path.toLowerCase(), text]));
  const files: ProgramFiles = {
    isFile: async (path) => known.has(path.toLowerCase()),
    mayExecute: async () => true,
    beginning: async (path) => known.get(path.toLowerCase()) ?? '',
  };
  return (command: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
    findProgram(
      {
        command,
        args,
        cwd: String.raw`C:\Users\me`,
        env: { Path: String.raw`.;;bin;\tools;C:tools;C:\nodejs;"C:\Program Files\uv"`, ...env },
        platform: 'win32',
        systemRoot: String.raw`D:\Windows`,
      },
      files,
    );
}

describe('a program on Windows (a stand-in)', () => {
  const node = String.raw`C:\nodejs\node.exe`;
  const script = String.raw`C:\nodejs\node_modules\npm\bin\npx-cli.js`;
  const find = windows({
    [node]: '',
    [String.raw`C:\nodejs\npx.cmd`]: '',
    [script]: '',
    [String.raw`C:\nodejs\tool.cmd`]: '',
    [String.raw`C:\Program Files\uv\uvx.exe`]: '',
    [String.raw`C:\clone\evil.exe`]: '',
    [String.raw`C:\Users\me\planted.exe`]: '',
    [String.raw`C:\Users\me\bin\planted.exe`]: '',
    [String.raw`C:\tools\planted.exe`]: '',
    [String.raw`C:\Users\me\server.js`]: '#!/usr/bin/env node\n',
    [String.raw`C:\Users\me\other.py`]: '#!/usr/bin/python3\n',
  });

  it('runs programs by their absolute path, found by PATH and PATHEXT', async () => {
    expect(await find('node', ['x'])).toEqual({ file: node, args: ['x'], verbatim: false });
    expect(await find('NODE.EXE')).toMatchObject({ file: String.raw`C:\nodejs\NODE.EXE` });
    expect(await find('uvx')).toMatchObject({ file: String.raw`C:\Program Files\uv\uvx.exe` });
    await expect(find('node', [], { PATHEXT: '.COM' })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each(['planted', 'planted.exe', 'evil', 'evil.exe', 'python3'])(
    'does not find %s in the working directory, its own one or a relative part of the PATH',
    async (command) => {
      await expect(find(command)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('resolves a relative path against `cwd`', async () => {
    expect(await find(String.raw`.\planted`)).toMatchObject({ file: String.raw`C:\Users\me\planted.exe` });
    expect(await find('bin/planted.exe')).toMatchObject({ file: String.raw`C:\Users\me\bin\planted.exe` });
  });

  it('runs npx without its batch file, so that each argument arrives unchanged', async () => {
    const args = ['-y', 'x', '"&calc&"', '%PATH%', 'a\nb'];
    expect(await find('npx', args)).toEqual({ file: node, args: [script, ...args], verbatim: false });
  });

  it('runs a script with the interpreter that its first line names, found in the same way', async () => {
    expect(await find(String.raw`.\server.js`, ['%x%'])).toEqual({
      file: node,
      args: [String.raw`C:\Users\me\server.js`, '%x%'],
      verbatim: false,
    });
    await expect(find(String.raw`.\other.py`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['a quote', 'say "hi"'],
    ['a quote that breaks out', '"&calc.exe&"'],
    ['a quote that breaks out of the second parse', String.raw`\"&calc.exe`],
    ['a lone quote', '"'],
    ['a variable', '%PATH%'],
    ['a variable cut to a quote', '%CMDCMDLINE:~-1%&calc'],
    ['a parameter of the batch file', '%1'],
    ['a line break', 'a\r\ncalc'],
    ['a tab', 'a\tb'],
    ['an end of file', 'a\u001ab'],
    ['too much', 'x'.repeat(8200)],
  ])('refuses an argument of a batch file with %s, and does not quote it', async (_, argument) => {
    const refused = await find('tool', ['fine', argument]);
    expect(refused).toMatchObject({
      code: 'CONFIG_INVALID',
      options: { hint: expect.stringContaining('.exe') },
    });
    expect(JSON.stringify(refused)).not.toContain('calc');
  });

  it.each([
    ['plain'],
    ['two words'],
    [''],
    ['a&b|c<d>e^f(g)'],
    ['https://example.com/?a=1&b=2'],
    [String.raw`C:\dir with space\ `.trim()],
    ['ends\\\\'],
    ['!x!'],
    ['^"'.slice(0, 1)],
    ['ü😀'],
  ])('both parses of cmd.exe leave %j alone', async (argument) => {
    const program = await find('tool', ['-y', argument, 'last']);
    if ('code' in program) throw new Error(program.message);
    expect(program).toMatchObject({ file: String.raw`D:\Windows\System32\cmd.exe`, verbatim: true });
    expect(received(program)).toEqual([String.raw`C:\nodejs\tool.cmd`, '-y', argument, 'last']);
  });
});

/** What the program behind a batch file that says `%*` gets: cmd.exe parses twice, and then the C library once. */
function received(program: Program): string[] {
  const line = program.args.at(-1) ?? '';
  // With /s the first and the last quote go.
  const once = parsedByCmd(line.slice(1, -1));
  return parsedByC(parsedByCmd(once));
}

/** Fails at a character with a meaning outside of quotes; there are none to take away within them. */
function parsedByCmd(line: string): string {
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === '%' || (!quoted && /[&|<>^()\r\n]/.test(character))) {
      throw new Error(`cmd.exe acts on ${character} in ${line}`);
    }
  }
  if (quoted) throw new Error('a quote is open');
  return line;
}

/** @see https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments */
function parsedByC(line: string): string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*?)"(?= |$)/g)].map(([, inner = '']) =>
    inner.replace(/(\\+)$/, (slashes) => slashes.slice(slashes.length / 2)),
  );
}
