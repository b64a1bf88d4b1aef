import { knownSize, type TerminalStream } from '../process-io.js';
import { fitWidth, textWidth } from './text-width.js';

/** Returns lines without line feeds for this number of columns. Longer lines are cut. */
type Render = (columns: number) => readonly string[];

/**
 * Synchronized output: the terminal shows what is between the two at once. Others ignore it.
 * @see https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
 */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ENTER_SCREEN = '\u001b[?1049h';
const LEAVE_SCREEN = '\u001b[?1049l';
const HOME = '\u001b[H';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';

interface LiveRegionOptions {
  /** If true, the lines have a screen of their own, as those of `top` and `watch`. Default: they are the last ones of the terminal. */
  readonly hasOwnScreen?: boolean;
  readonly onDispose?: () => void;
}

/** Lines of a terminal that are repainted in place without flicker: nothing is erased before its replacement is written. */
export class LiveRegion implements Disposable {
  readonly #stream: TerminalStream;
  readonly #hasOwnScreen: boolean;
  readonly #onDispose: () => void;
  #render: Render = () => [];
  #painted: readonly string[] = [];
  #paintedFor = 0;
  #isShown = false;
  readonly #repaint = (): void => {
    // What a terminal does with a screen that does not fit it any more differs.
    if (this.#hasOwnScreen) {
      this.#painted = [];
      this.#stream.write(`${HOME}${TO_SCREEN_END}`);
    }
    this.#paint();
  };
  /** Leaves the screen when the process ends without `finish` or `clear`. */
  readonly #restore = (): void => void this.#stream.write(`${LEAVE_SCREEN}${SHOW_CURSOR}`);
  /** Ctrl-Z: the shell has the terminal until the user brings the program back. */
  readonly #suspend = (): void => {
    this.clear();
    process.once('SIGCONT', () => this.#paint());
    process.kill(process.pid, 'SIGSTOP');
  };

  constructor(
    stream: TerminalStream,
    { hasOwnScreen = false, onDispose = () => undefined }: LiveRegionOptions = {},
  ) {
    this.#stream = stream;
    this.#hasOwnScreen = hasOwnScreen;
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
    const removal = `${this.#toFirstLine()}\r${TO_SCREEN_END}${this.#hasOwnScreen ? LEAVE_SCREEN : ''}`;
    this.#stream.write(`${BEGIN}${removal}${SHOW_CURSOR}${END}`);
    this.#leave();
  }

  /** Calls `write` while the lines are removed, so that its output is above them. */
  above(write: () => void): void {
    const isShown = this.#isShown;
    this.clear();
    write();
    if (isShown) this.#paint();
  }

  /** Leaves the lines on the screen of the terminal and shows the cursor below them. */
  finish(): void {
    if (!this.#isShown) return;
    if (this.#hasOwnScreen) {
      const lines = this.#render(this.#columns()).map((line) => `${line}\n`);
      // Some terminals have no second screen, and show all on one.
      this.#stream.write(`${HOME}${TO_SCREEN_END}${LEAVE_SCREEN}${lines.join('')}`);
    }
    this.#stream.write(SHOW_CURSOR);
    this.#leave();
  }

  /** Removes the lines for good. */
  [Symbol.dispose](): void {
    this.clear();
    this.#onDispose();
  }

  #leave(): void {
    this.#stream.off('resize', this.#repaint);
    process.off('exit', this.#restore);
    process.off('SIGTSTP', this.#suspend);
    this.#painted = [];
    this.#isShown = false;
  }

  #paint(): void {
    const width = Math.max(1, this.#columns() - 1);
    // Some terminals keep what is cleared from the first row on.
    const next = cutTo(this.#render(width), Math.max(1, (knownSize(this.#stream.rows) ?? 24) - 2)).map(
      (line) => fitWidth(line, width),
    );
    const isResized = this.#painted.length > 0 && this.#paintedFor !== width;
    // After a resize nothing is where it was, so everything is written again.
    const known = isResized ? [] : this.#painted;
    if (next.length === known.length && next.every((line, index) => line === known[index])) return;
    let text = this.#isShown ? '' : this.#begin();
    text += this.#toFirstLine();
    for (const [index, line] of next.entries()) {
      text += line === known[index] ? '\n' : `\r${line}${TO_LINE_END}\n`;
    }
    if (isResized || next.length < known.length) text += TO_SCREEN_END;
    this.#isShown = true;
    this.#painted = next;
    this.#paintedFor = width;
    this.#stream.write(`${BEGIN}${text}${END}`);
  }

  #begin(): string {
    this.#stream.on('resize', this.#repaint);
    if (!this.#hasOwnScreen) return HIDE_CURSOR;
    process.on('exit', this.#restore);
    // Windows has no such signal.
    if (process.platform !== 'win32') process.on('SIGTSTP', this.#suspend);
    return `${ENTER_SCREEN}${HOME}${TO_SCREEN_END}${HIDE_CURSOR}`;
  }

  #columns(): number {
    return knownSize(this.#stream.columns) ?? 80;
  }

  #toFirstLine(): string {
    if (this.#hasOwnScreen) return HOME;
    const columns = this.#columns();
    // A terminal that has become narrower wraps them.
    const rows = this.#painted.map((line) => Math.max(1, Math.ceil(textWidth(line) / columns)));
    return up(rows.reduce((sum, count) => sum + count, 0));
  }
}

/** Leaves out lines before the last one, if there are more than the terminal has rows. */
function cutTo(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const head = lines.slice(0, Math.max(0, rows - 2));
  const more = `… ${lines.length - head.length - 1} more lines`;
  return rows === 1 ? [more] : [...head, more, lines.at(-1) ?? ''];
}

function up(count: number): string {
  return count > 0 ? `\u001b[${count}A` : '';
}
