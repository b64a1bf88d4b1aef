import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { createRedactor } from '@mcp-fittings/client-core';
import type { LiveRegion } from './live-region.js';
import { jsonText, printable } from './printable.js';
import { type Style, createStyle } from './style.js';
import { wrapWords } from './text-width.js';
import { CommandError } from './hints.js';

/**
 * What a command says. Everything passes one redactor, so that no configured secret is printed, and nothing of it may
 * hold control sequences but those of `style`: texts of servers and files go through `shown` first.
 */
export interface Output {
  /** JSON was asked for. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Colors for stdout; does nothing where there are none. */
  readonly style: Style;
  /** Colors for stderr. */
  readonly noteStyle: Style;
  /** Columns of the terminal; undefined when stdout is none. */
  readonly columns: number | undefined;
  /** The result of a command: `value` as one JSON document with `--json`, else the text. */
  result(value: unknown, text: () => string): void;
  /** One of many results: `value` on a line of its own with `--json`, else the text. */
  event(value: unknown, text: () => string): void;
  /** A line for the person on stderr, in every mode. */
  note(text: string): void;
  /** A note that only `--verbose` shows. */
  detail(text: string): void;
  /** Values that must never be printed, from now on. */
  hide(secrets: Iterable<string>): void;
  /** Keeps what is written above these lines of the same terminal, until it is disposed of. */
  keepAbove(region: Pick<LiveRegion, 'above'>): Disposable;
  /** For what is written to the terminal in another way: prompts, live lines. */
  redact(text: string): string;
}

export interface OutputOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal; undefined when stdout is none. */
  readonly columns: () => number | undefined;
  /** Columns of the terminal that notes go to. Default: notes are not wrapped. */
  readonly noteColumns?: (() => number | undefined) | undefined;
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, json, verbose } = options;
  const secrets = new Set<string>();
  let redact = createRedactor([]);
  let live: Pick<LiveRegion, 'above'> | undefined;
  const say = (stream: Writable, text: string): void => {
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
    note: (text) => say(stderr, wrapWords(text, options.noteColumns?.())),
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

/** Writes what `-o` asks for. Rejects with `CONFIG_READ_ONLY`. */
export async function writeOutput(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (cause) {
    throw new CommandError('CONFIG_READ_ONLY', `Cannot write the file ${printable(file)}.`, { cause });
  }
}
