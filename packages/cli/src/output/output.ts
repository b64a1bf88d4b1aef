import { writeFile } from 'node:fs/promises';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import { CommandError } from './hints.js';
import type { LiveRegion } from './live-region.js';
import { jsonText, printable } from './printable.js';
import { type Style, createStyle } from './style.js';
import { wrapWords } from './text-width.js';

/**
 * The output of a command. All of it passes one redactor, so that no configured secret is printed. Texts of servers and
 * files have to go through `printable` first, so that the only control sequences are those of `style`.
 */
export interface Output {
  /** Is true if `--json` was given. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Colors for stdout. Returns text unchanged if stdout has no colors. */
  readonly style: Style;
  /** Colors for stderr. */
  readonly noteStyle: Style;
  /** Columns of the terminal; undefined if stdout is not one. */
  readonly columns: number | undefined;
  /** Prints the result of a command: `value` as one JSON document with `--json`, else the text. */
  result(value: unknown, text: () => string): void;
  /** Prints one of many results: `value` as one line of JSON with `--json`, else the text. */
  event(value: unknown, text: () => string): void;
  /** Prints a line for the user to stderr, with `--json` too. */
  note(text: string): void;
  /** Prints a note to stderr with `--verbose` only. */
  detail(text: string): void;
  /** Adds values that must not be printed from now on. */
  hide(secrets: Iterable<string>): void;
  /** Writes output above the lines of this region, until the result is disposed of. */
  keepAbove(region: Pick<LiveRegion, 'above'>): Disposable;
  /** Redacts text that is written in another way, such as prompts and live lines. */
  readonly redact: (text: string) => string;
}

/** A stream, or what is written to like one. */
export interface TextOutput {
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal; undefined if stdout is not one. */
  readonly columns: () => number | undefined;
  /** Columns of the terminal that notes are printed to. Default: notes are not wrapped. */
  readonly noteColumns?: (() => number | undefined) | undefined;
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, json, verbose } = options;
  const secrets = new Set<string>();
  let redact = createRedactor([]);
  let live: Pick<LiveRegion, 'above'> | undefined;
  const say = (stream: TextOutput, text: string): void => {
    const write = (): void => void stream.write(`${redact(text)}\n`);
    if (live === undefined) write();
    else live.above(write);
  };
  return {
    json,
    verbose,
    style: createStyle(options.colors.stdout && !json),
    noteStyle: createStyle(options.colors.stderr),
    get columns() {
      return options.columns();
    },
    result: (value, text) => say(stdout, json ? jsonText(value, 2) : text()),
    event: (value, text) => say(stdout, json ? jsonText(value) : text()),
    // What is to be hidden may have spaces, at which lines are wrapped.
    note: (text) => say(stderr, wrapWords(redact(text), options.noteColumns?.()).join('\n')),
    detail(text) {
      if (verbose) say(stderr, text);
    },
    hide(more) {
      for (const secret of more) secrets.add(secret);
      redact = createRedactor(secrets);
    },
    keepAbove(region) {
      live = region;
      return {
        [Symbol.dispose]() {
          if (live === region) live = undefined;
        },
      };
    },
    redact: (text) => redact(text),
  };
}

/** Writes the file that `-o` names. Rejects with `CONFIG_READ_ONLY`. */
export async function writeOutput(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (cause) {
    throw new CommandError('CONFIG_READ_ONLY', `Cannot write the file ${printable(file)}.`, { cause });
  }
}
