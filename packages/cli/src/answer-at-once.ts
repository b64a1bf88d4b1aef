import { readFileSync } from 'node:fs';
import { type HelpText, PROGRAM_HELP, formatHelp } from './command-line/help-text.js';
import { packageVersion } from './version.js';

interface HelpOutput {
  readonly columns?: number;
  write(text: string): unknown;
}

const VERSION_FLAGS: ReadonlySet<string | undefined> = new Set(['-V', '--version']);
const HELP_FLAGS: ReadonlySet<string | undefined> = new Set(['-h', '--help']);

/**
 * Answers `--version`, `--help`, `help <command>` and `<command> --help`, and returns whether it did. To load commander and declare
 * all commands takes half as long as Node.js itself, and these answers are known when the package is published. Everything
 * else is left to commander: other options beside them, commands that do not exist, and a build that was not published.
 */
export function answerAtOnce(argv: readonly string[], stdout: HelpOutput): boolean {
  const text = answerTo(argv, stdout);
  if (text === undefined) return false;
  stdout.write(text);
  return true;
}

function answerTo(argv: readonly string[], { columns }: HelpOutput): string | undefined {
  const [first, second] = argv;
  if (argv.length === 1 && VERSION_FLAGS.has(first)) return `${packageVersion()}\n`;
  const command = helpedCommand(argv.length, first, second);
  const help = command === undefined ? undefined : publishedHelp(command);
  // As commander does: a terminal that does not know its width reports 0.
  return help && formatHelp(help, columns ?? 80);
}

/** Returns the name of the command whose help is asked for. */
function helpedCommand(
  count: number,
  first: string | undefined,
  second: string | undefined,
): string | undefined {
  if (count === 1 && (HELP_FLAGS.has(first) || first === 'help')) return PROGRAM_HELP;
  if (count !== 2) return undefined;
  if (HELP_FLAGS.has(second)) return first;
  return first === 'help' ? second : undefined;
}

/** Reads what `helpTexts` returned when the package was published; undefined in a build that was not. */
function publishedHelp(command: string): HelpText | undefined {
  if (!/^[a-z]+$/.test(command)) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of this package
    return JSON.parse(readFileSync(`${import.meta.dirname}/../help/${command}.json`, 'utf8')) as HelpText;
  } catch {
    return undefined;
  }
}
