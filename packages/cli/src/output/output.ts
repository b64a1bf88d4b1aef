import type { LiveRegion } from './live-region.js';
import type { Style } from './style.js';

/**
 * What a command says. Everything passes one redactor, so that no configured secret is printed, and nothing of it may
 * hold control sequences but those of `style`: texts of servers and files go through `shown` first.
 */
export interface Output {
  /** JSON was asked for. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Colours for stdout; does nothing where there are none. */
  readonly style: Style;
  /** Colours for stderr. */
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
