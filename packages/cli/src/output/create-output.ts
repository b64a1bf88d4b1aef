import type { Writable } from 'node:stream';
import { createRedactor } from '@mcp-fittings/client-core/text';
import { jsonText } from './json-text.js';
import type { LiveRegion } from './live-region.js';
import type { Output } from './output.js';
import { createStyle } from './style.js';
import { wrapWords } from './text-width.js';

export interface OutputOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly colours: { readonly stdout: boolean; readonly stderr: boolean };
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
    style: createStyle(options.colours.stdout && !json),
    noteStyle: createStyle(options.colours.stderr),
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
