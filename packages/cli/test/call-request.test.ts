import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { parseCall } from '../src/call-request.js';
import { createCommandRun } from '../src/command-deps.js';
import { createProgram, globalOptions, registerCommands } from '../src/command-line/program.js';

/** What commander makes of the command line: the target and options of `call`; undefined if it runs something else or refuses. */
async function asCommander(argv: readonly string[]): Promise<object | undefined> {
  const program = createProgram().configureOutput({
    writeOut: () => undefined,
    writeErr: () => undefined,
  });
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: '.',
    signal: new AbortController().signal,
  };
  registerCommands(program, createCommandRun(io, () => globalOptions(program)).deps);
  let found: object | undefined;
  for (const command of program.commands) command.action(() => undefined);
  program.commands
    .find((command) => command.name() === 'call')
    ?.action((target: string, { arg, args }: { arg: string[]; args?: string }, { args: [, ...more] }) => {
      const { json, color, layout, mcpConfig, strictMcpConfig, shared = false } = globalOptions(program);
      const rest = { json, verbose: false, color, layout, mcpConfig, strictMcpConfig };
      if (more.length === 0) found = { target, pairs: arg, args, shared, ...rest };
    });
  await program.parseAsync(argv, { from: 'user' }).catch(() => undefined);
  return found;
}

it.each([
  ['call a/b'],
  ['call a/b --arg x=1 -a y=2'],
  ['call -a x=1 a/b'],
  ['--json call a/b --args {"x":1}'],
  ['call a/b --args - --args @file'],
  ['call a/b --no-color --arg call --arg a/b'],
  ['call a/b --mcp-config --json'],
  ['--layout claude --mcp-config x.json call a/b --mcp-config y.json --strict-mcp-config'],
  ['call a/b --layout gemini --layout kode'],
  ['--shared call a/b'],
  ['call a/b --shared --no-shared'],
])('parses `fittings %s` as commander does', async (line) => {
  const argv = line.split(' ');
  expect(await asCommander(argv)).toBeDefined();
  expect(parseCall(argv, {})).toEqual(await asCommander(argv));
});

it.each([
  ['call'],
  ['call a/b c'],
  ['call a/b --arg'],
  ['call a/b --layout other'],
  ['call a/b --unknown'],
  ['-a x=1 call a/b'],
  ['--args {} call a/b'],
  ['call a/b --arg --json --no-color'],
  ['read call'],
  ['list tools call'],
])('leaves `fittings %s` to commander, which runs something else or refuses it', async (line) => {
  const argv = line.split(' ');
  expect(await asCommander(argv)).toBeUndefined();
  expect(parseCall(argv, {})).toBeUndefined();
});

it.each([
  ['call a/b --timeout 3'],
  ['call a/b -o file'],
  ['call a/b --verbose'],
  ['call a/b --store file'],
  ['call a/b --plugin x'],
  ['call a/b --arg=x=1'],
  ['call a/b --arg --json x=1'],
  ['call -- a/b'],
])('leaves `fittings %s` to commander, which knows more options', (line) => {
  expect(parseCall(line.split(' '), {})).toBeUndefined();
});

it('shares as the variable says, unless the command line does', () => {
  const env = { FITTINGS_SHARED: '1' };
  expect(parseCall(['call', 'a/b'], env)?.shared).toBe(true);
  expect(parseCall(['call', 'a/b', '--no-shared'], env)?.shared).toBe(false);
});
