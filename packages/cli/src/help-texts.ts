import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createCommandRun } from './command-deps.js';
import { type HelpText, PROGRAM_HELP } from './command-line/help-text.js';
import { createProgram, globalOptions, registerCommands } from './command-line/program.js';

/**
 * Returns the help of the program, under the name `index`, and of every command, as commander prints it. It is published with the
 * package, so that `--help` does not load commander.
 */
export function helpTexts(): Readonly<Record<string, HelpText>> {
  const program = createProgram();
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: '.',
    signal: new AbortController().signal,
  };
  registerCommands(program, createCommandRun(io, () => globalOptions(program)).deps);
  const visible = program.createHelp().visibleCommands(program);
  return Object.fromEntries([
    [PROGRAM_HELP, helpText(program)],
    // `help` itself has no declaration.
    ...visible
      .filter((command) => command.name() !== 'help')
      .map((command) => [command.name(), helpText(command)]),
  ]);
}

/** Stands before a text that commander would wrap. No help contains it. */
const WRAPS = '\u0000';

function helpText(command: Command): HelpText {
  const helper = command.createHelp();
  helper.prepareContext({});
  helper.boxWrap = (text) => WRAPS + text;
  helper.formatItem = (term, width, text) =>
    text === '' ? `  ${term}` : `  ${term.padEnd(width)}  ${WRAPS}${text}`;
  const lines = helper.formatHelp(command, helper).split('\n');
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text) }).outputHelp();
  return {
    lines: lines.map((line) => {
      const [beginning = '', text] = line.split(WRAPS);
      return text === undefined ? beginning : [beginning, text];
    }),
    // The first is what has the lines.
    after: written.slice(1).join(''),
  };
}
