import { CommanderError } from 'commander';
import { CommandDeps } from './command-deps.js';
import { createProgram, registerCommands } from './command-line/program.js';
import type { GlobalOptions } from './options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { wrapWords } from './output/text-width.js';
import { type ProcessIo, columnsOf, knownSize } from './process-io.js';

/** Runs one command line, given without the name of the program. Resolves with the exit code and never rejects. */
export async function runCli(argv: readonly string[], io: ProcessIo): Promise<ExitCode> {
  const program = createProgram();
  const deps = new CommandDeps(io, () => program.opts<GlobalOptions>());
  // `--json` may come after the mistake, where it is not parsed.
  const inJson = argv.includes('--json');
  let usageError = '';
  // Commands inherit this when they are registered.
  program.configureOutput({
    writeOut: (text) => void io.stdout.write(wrapWords(text, knownSize(io.stdout.columns)).join('\n')),
    writeErr: (text) => {
      if (inJson) usageError += text;
      else io.stderr.write(wrapWords(text, knownSize(io.stderr.columns)).join('\n'));
    },
    getOutHelpWidth: () => columnsOf(io.stdout),
    getErrHelpWidth: () => columnsOf(io.stderr),
  });
  // `--version` ends before a command is looked for.
  if (argv[0] !== '--version' && argv[0] !== '-V') registerCommands(program, deps);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return deps.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOfUsage(error, inJson ? usageError : undefined, deps);
    const { exitCodeOf, reportError, unlessInterrupted } = await import('./output/error-report.js');
    const failure = unlessInterrupted(error, io.signal);
    const exitCode = exitCodeOf(failure);
    // A terminal echoes `^C`, at the start of the line where the message belongs.
    if (exitCode === EXIT.interrupted && io.stderr.isTTY === true) io.stderr.write('\r');
    reportError(failure, deps.output);
    return exitCode;
  }
}

/**
 * Handles an error of commander, which has printed its message unless `--json` was given. Help and version are such
 * errors too.
 */
function exitCodeOfUsage(error: CommanderError, usageError: string | undefined, deps: CommandDeps): ExitCode {
  if (error.exitCode === 0) return EXIT.ok;
  if (usageError !== undefined) {
    const message = usageError
      .replace(/^error: /, '')
      .trim()
      .split('\n', 1)[0];
    deps.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message } }, undefined, 2)}\n`);
  }
  return EXIT.usage;
}
