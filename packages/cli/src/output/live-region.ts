import type { Writable } from 'node:stream';
import { fitWidth } from './text-width.js';

/** The last lines of a terminal, which are repainted in place. */
export interface LiveRegion {
  /** Replaces the lines. Writes only those that changed, in one write. */
  paint(lines: readonly string[]): void;
  /** Removes the lines, so that something else can be written. The next `paint` shows them again. */
  clear(): void;
  /** Calls `write` while the lines are removed, so that its output is above them. */
  above(write: () => void): void;
  /** Leaves the lines on the screen and shows the cursor below them. */
  finish(): void;
}

export interface LiveRegionOptions {
  readonly stream: Writable;
  readonly columns: () => number;
  readonly rows: () => number;
}

/**
 * Synchronized output: the terminal shows what is between the two at once. Others ignore it.
 * @see https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
 */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';

/** Creates a region that repaints without flicker: it erases nothing before writing its replacement. */
export function createLiveRegion({ stream, columns, rows }: LiveRegionOptions): LiveRegion {
  let painted: readonly string[] = [];
  let paintedFor = 0;
  let hidden = false;
  let shownLines: readonly string[] = [];

  const up = (count: number): string => (count > 0 ? `\u001b[${count}A` : '');

  const region: LiveRegion = {
    paint(lines) {
      shownLines = lines;
      const width = Math.max(1, columns() - 1);
      const room = Math.max(1, rows() - 1);
      const more = lines.length - room;
      const cut = more > 0 ? [...lines.slice(0, room - 1), `… ${more + 1} more lines`] : lines;
      const next = cut.map((line) => fitWidth(line, width));
      // After a resize the painted lines are elsewhere, so painting starts again below them.
      const known = paintedFor === width ? painted : [];
      if (next.length === known.length && next.every((line, index) => line === known[index])) return;
      let text = hidden ? '' : HIDE_CURSOR;
      text += up(known.length);
      for (const [index, line] of next.entries()) {
        text += line === known[index] ? '\n' : `\r${line}${TO_LINE_END}\n`;
      }
      if (next.length < known.length) text += TO_SCREEN_END;
      hidden = true;
      painted = next;
      paintedFor = width;
      stream.write(`${BEGIN}${text}${END}`);
    },
    clear() {
      if (!hidden) return;
      stream.write(`${BEGIN}${up(painted.length)}\r${TO_SCREEN_END}${SHOW_CURSOR}${END}`);
      painted = [];
      hidden = false;
    },
    above(write) {
      const isShown = hidden;
      region.clear();
      write();
      if (isShown) region.paint(shownLines);
    },
    finish() {
      if (hidden) stream.write(SHOW_CURSOR);
      painted = [];
      hidden = false;
    },
  };
  return region;
}
