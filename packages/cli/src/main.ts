import { CommanderError } from 'commander';
import { type CommandRun, createCommandRun } from './command-deps.js';
import { createProgram, globalOptions, registerCommands } from './command-line/program.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { ProcessIo } from './process-io.js';

/** Runs one command line, without the name of the program. Never rejects: resolves with the exit code. */
export async function runCli(argv: readonly string[], world: ProcessIo): Promise<ExitCode> {
  const program = createProgram();
  const own = createCommandRun(world, () => globalOptions(program));
  // `--json` may stand behind the mistake, and would not have been parsed.
  const inJson = argv.includes('--json');
  let complaint = '';
  // Commands inherit it when they are registered.
  program.configureOutput({
    writeOut: (text) => void world.stdout.write(text),
    writeErr: (text) => {
      if (inJson) complaint += text;
      else world.stderr.write(text);
    },
    getOutHelpWidth: () => world.stdout.columns ?? 80,
    getErrHelpWidth: () => world.stderr.columns ?? 80,
  });
  registerCommands(program, own.context);
  program.hook('preAction', () => own.prepare());
  try {
    await program.parseAsync(argv, { from: 'user' });
    return own.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return wrongUse(error, inJson ? complaint : undefined, own);
    const { exitCodeOf, reportError, unlessInterrupted } = await import('./output/error-report.js');
    const failure = unlessInterrupted(error, world.signal);
    reportError(failure, own.context.output);
    return exitCodeOf(failure);
  }
}

/** Commander has said on stderr what is wrong, unless JSON was asked for. Help and version are such errors too. */
function wrongUse(error: CommanderError, complaint: string | undefined, own: CommandRun): ExitCode {
  if (error.exitCode === 0) return EXIT.ok;
  if (complaint !== undefined) {
    const message = complaint
      .replace(/^error: /, '')
      .trim()
      .split('\n', 1)[0];
    own.context.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message } }, undefined, 2)}\n`);
  }
  return EXIT.usage;
}
