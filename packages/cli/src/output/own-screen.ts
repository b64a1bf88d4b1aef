import { columnsOf, knownSize, type TerminalStream } from '../process-io.js';
import {
  BEGIN,
  cutTo,
  END,
  HIDE_CURSOR,
  type Render,
  SHOW_CURSOR,
  TO_LINE_END,
  TO_SCREEN_END,
} from './live-region.js';
import { fitWidth } from './text-width.js';

const ENTER = '\u001b[?1049h';
const LEAVE = '\u001b[?1049l';
const HOME = '\u001b[H';

/** Lines on a screen of their own, as those of `top` and `watch`. When it is disposed of, they stay on the screen of the terminal. */
export class OwnScreen implements Disposable {
  readonly #stream: TerminalStream;
  readonly #onDispose: () => void;
  #render: Render = () => [];
  #isShown = false;
  /** Terminals differ in what they do with a screen that does not fit any more: everything is erased first. */
  readonly #resize = (): void => this.#paint(`${HOME}${TO_SCREEN_END}`);
  /** Gives the terminal back when the process ends before this is disposed of. */
  readonly #restore = (): void => void this.#stream.write(`${LEAVE}${SHOW_CURSOR}`);
  /** Ctrl-Z: the shell has the terminal until the user brings the program back. */
  readonly #suspend = (): void => {
    this.#leave();
    process.once('SIGCONT', () => this.#paint());
    process.kill(process.pid, 'SIGSTOP');
  };

  constructor(stream: TerminalStream, onDispose: () => void) {
    this.#stream = stream;
    this.#onDispose = onDispose;
  }

  /** Replaces the lines, in one write. Paints again when the size of the terminal changes. */
  paint(render: Render): void {
    this.#render = render;
    this.#paint();
  }

  /** Calls `write` on the screen of the terminal, where its output stays. */
  above(write: () => void): void {
    const isShown = this.#isShown;
    if (isShown) this.#leave();
    write();
    if (isShown) this.#paint();
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#leave(this.#render(columnsOf(this.#stream)));
    this.#onDispose();
  }

  #paint(before = ''): void {
    const width = Math.max(1, columnsOf(this.#stream) - 1);
    const lines = cutTo(this.#render(width), Math.max(1, (knownSize(this.#stream.rows) ?? 24) - 1));
    const text = lines.map((line) => `${fitWidth(line, width)}${TO_LINE_END}\n`).join('');
    const enter = this.#isShown ? '' : this.#enter();
    this.#stream.write(`${BEGIN}${enter}${before}${HOME}${text}${TO_SCREEN_END}${END}`);
  }

  #enter(): string {
    this.#isShown = true;
    this.#stream.on('resize', this.#resize);
    process.on('exit', this.#restore);
    // Windows has no such signal.
    if (process.platform !== 'win32') process.on('SIGTSTP', this.#suspend);
    return `${ENTER}${HIDE_CURSOR}`;
  }

  /** Leaves the screen. The lines are written below what was there before. */
  #leave(lines: readonly string[] = []): void {
    this.#isShown = false;
    this.#stream.off('resize', this.#resize);
    process.off('exit', this.#restore);
    process.off('SIGTSTP', this.#suspend);
    // Some terminals have no second screen, and show all on one.
    const text = lines.map((line) => `${line}\n`).join('');
    this.#stream.write(`${HOME}${TO_SCREEN_END}${LEAVE}${text}${SHOW_CURSOR}`);
  }
}
