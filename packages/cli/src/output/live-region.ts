import { columnsOf, knownSize, type TerminalStream } from '../process-io.js';
import { fitWidth, textWidth } from './text-width.js';

/** Returns lines without line feeds for this number of columns. Longer lines are cut. */
export type Render = (columns: number) => readonly string[];

/**
 * Synchronized output: the terminal shows what is between the two at once. Others ignore it.
 * @see https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
 */
export const BEGIN = '\u001b[?2026h';
export const END = '\u001b[?2026l';
export const HIDE_CURSOR = '\u001b[?25l';
export const SHOW_CURSOR = '\u001b[?25h';
export const TO_LINE_END = '\u001b[K';
export const TO_SCREEN_END = '\u001b[J';

/** The last lines of a terminal, which are repainted in place without flicker: nothing is erased before its replacement is written. */
export class LiveRegion implements Disposable {
  readonly #stream: TerminalStream;
  readonly #onDispose: () => void;
  #render: Render = () => [];
  #painted: readonly string[] = [];
  #paintedFor = 0;
  #isShown = false;
  readonly #repaint = (): void => this.#paint();

  constructor(stream: TerminalStream, onDispose: () => void = () => undefined) {
    this.#stream = stream;
    this.#onDispose = onDispose;
  }

  /** Replaces the lines. Writes only those that changed, in one write. Paints again when the size of the terminal changes. */
  paint(render: Render): void {
    this.#render = render;
    this.#paint();
  }

  /** Removes the lines, so that something else can be written. The next `paint` shows them again. */
  clear(): void {
    if (!this.#isShown) return;
    this.#stream.write(`${BEGIN}${up(this.#height())}\r${TO_SCREEN_END}${SHOW_CURSOR}${END}`);
    this.#stream.off('resize', this.#repaint);
    this.#painted = [];
    this.#isShown = false;
  }

  /** Calls `write` while the lines are removed, so that its output is above them. */
  above(write: () => void): void {
    const isShown = this.#isShown;
    this.clear();
    write();
    if (isShown) this.#paint();
  }

  /** Removes the lines for good. */
  [Symbol.dispose](): void {
    this.clear();
    this.#onDispose();
  }

  #paint(): void {
    const width = Math.max(1, columnsOf(this.#stream) - 1);
    // Some terminals keep what is cleared from the first row on.
    const next = cutTo(this.#render(width), Math.max(1, (knownSize(this.#stream.rows) ?? 24) - 2)).map(
      (line) => fitWidth(line, width),
    );
    const isResized = this.#painted.length > 0 && this.#paintedFor !== width;
    // After a resize nothing is where it was, so everything is written again.
    const known = isResized ? [] : this.#painted;
    if (next.length === known.length && next.every((line, index) => line === known[index])) return;
    let text = this.#isShown ? '' : HIDE_CURSOR;
    text += up(this.#height());
    for (const [index, line] of next.entries()) {
      text += line === known[index] ? '\n' : `\r${line}${TO_LINE_END}\n`;
    }
    if (isResized || next.length < known.length) text += TO_SCREEN_END;
    if (!this.#isShown) this.#stream.on('resize', this.#repaint);
    this.#isShown = true;
    this.#painted = next;
    this.#paintedFor = width;
    this.#stream.write(`${BEGIN}${text}${END}`);
  }

  /** Returns the rows that the painted lines take. A terminal that has become narrower wraps them. */
  #height(): number {
    const columns = columnsOf(this.#stream);
    return this.#painted.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
  }
}

/** Leaves out lines before the last one, if there are more than the terminal has rows. */
export function cutTo(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const head = lines.slice(0, Math.max(0, rows - 2));
  const more = `… ${lines.length - head.length - 1} more lines`;
  return rows === 1 ? [more] : [...head, more, lines.at(-1) ?? ''];
}

function up(count: number): string {
  return count > 0 ? `\u001b[${count}A` : '';
}
