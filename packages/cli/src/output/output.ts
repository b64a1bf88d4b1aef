import { readFile, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import type { GlobalOptions } from '../options.js';
import { columnsOf, type ProcessIo, type TerminalStream } from '../process-io.js';
import { CommandError } from './hints.js';
import { LiveRegion } from './live-region.js';
import { OwnScreen } from './own-screen.js';
import { jsonText, printable } from './printable.js';
import { type Style, createStyle, wantsColors } from './style.js';
import { wrapWords } from './text-width.js';

/**
 * The output of a command. All of it passes one redactor, so that no configured secret is printed. Texts of servers and
 * files have to go through `printable` first, so that the only control sequences are those of `style`.
 */
export class Output {
  /** Is true if `--json` was given. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Colors for stdout. Returns text unchanged if stdout has no colors. */
  readonly style: Style;
  /** Colors for stderr. */
  readonly noteStyle: Style;
  readonly #io: Pick<ProcessIo, 'stdout' | 'stderr' | 'env'>;
  readonly #secrets = new Set<string>();
  #redact = createRedactor([]);
  /** Lines that are repainted, above which everything else is written. */
  #live: LiveRegion | OwnScreen | undefined;

  constructor(
    io: Pick<ProcessIo, 'stdout' | 'stderr' | 'env'>,
    { json, verbose, color }: Pick<GlobalOptions, 'json' | 'verbose' | 'color'>,
  ) {
    const { stdout, stderr, env } = io;
    this.#io = io;
    this.json = json;
    this.verbose = verbose;
    this.style = createStyle(color && !json && wantsColors(stdout.isTTY === true, env));
    this.noteStyle = createStyle(color && wantsColors(stderr.isTTY === true, env));
  }

  /** Columns of the terminal, 80 if it does not know them; undefined if stdout is not one. */
  get columns(): number | undefined {
    return columnsIfTerminal(this.#io.stdout);
  }

  /** Prints the result of a command: `value` as one JSON document with `--json`, else the text. */
  result(value: unknown, text: () => string): void {
    this.#write(this.#io.stdout, this.json ? jsonText(value, 2) : text());
  }

  /** Prints one of many results: `value` as one line of JSON with `--json`, else the text. */
  event(value: unknown, text: () => string): void {
    this.#write(this.#io.stdout, this.json ? jsonText(value) : text());
  }

  /** Prints a line for the user to stderr, with `--json` too. */
  note(text: string): void {
    // What is to be hidden may have spaces, at which lines are wrapped.
    const lines = wrapWords(this.redact(text), columnsIfTerminal(this.#io.stderr));
    this.#write(this.#io.stderr, lines.join('\n'));
  }

  /** Prints a note to stderr with `--verbose` only. */
  detail(text: string): void {
    if (this.verbose) this.#write(this.#io.stderr, text);
  }

  /** Adds values that must not be printed from now on. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#redact = createRedactor(this.#secrets);
  }

  /** Redacts text that is written in another way, such as prompts and live lines. */
  readonly redact = (text: string): string => this.#redact(text);

  /** Opens lines that are repainted on stderr below all other output, until the result is disposed of. Undefined where that cannot be, and with `--json`. */
  openLiveRegion(): LiveRegion | undefined {
    const { stdout, stderr } = this.#io;
    // The reader of a pipe may write to the same terminal, as `| less` and `| fzf` do: moving the cursor would erase what it wrote.
    const isShared = stdout.isTTY !== true && stdout instanceof Socket;
    if (isShared || !this.#isRepaintable(stderr)) return undefined;
    const region = new LiveRegion(stderr, () => this.#forget(region));
    return (this.#live = region);
  }

  /** Opens a screen on stdout for lines that are repainted until the result is disposed of. Undefined where that cannot be, and with `--json`. */
  openScreen(): OwnScreen | undefined {
    const { stdout } = this.#io;
    if (!this.#isRepaintable(stdout)) return undefined;
    const screen = new OwnScreen(stdout, () => this.#forget(screen));
    return (this.#live = screen);
  }

  #forget(live: LiveRegion | OwnScreen): void {
    if (this.#live === live) this.#live = undefined;
  }

  #isRepaintable(stream: TerminalStream): boolean {
    // A dumb terminal prints cursor movements as text.
    return !this.json && stream.isTTY === true && this.#io.env['TERM'] !== 'dumb';
  }

  #write(stream: TerminalStream, text: string): void {
    const write = (): void => void stream.write(`${this.redact(text)}\n`);
    if (this.#live === undefined) write();
    else this.#live.above(write);
  }
}

function columnsIfTerminal(stream: TerminalStream): number | undefined {
  return stream.isTTY === true ? columnsOf(stream) : undefined;
}

/** Writes the file that `-o` names. Rejects with `CONFIG_READ_ONLY`. */
export async function writeOutput(file: string, content: Buffer): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (cause) {
    throw new CommandError('CONFIG_READ_ONLY', `Cannot write the file ${printable(file)}.`, { cause });
  }
}

/** Reads the file that `-o` names; undefined if it does not exist yet. Rejects with `CONFIG_INVALID`. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new CommandError('CONFIG_INVALID', `Cannot read the file ${printable(file)}.`, { cause });
  }
}
