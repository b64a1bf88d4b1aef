import { type Redactor, sanitizeText } from '@mcp-fittings/toolbox/text';
import { failureExcerpt, type ExcerptLimits } from './failure-excerpt.js';

/** The end of a server's stderr, made safe to show: without secrets and control sequences, and bounded. */
export type StderrTail = ReturnType<typeof createStderrTail>;

export interface StderrTailOptions {
  readonly redact: Redactor;
  /** Called for each complete line; calling `line` returns its safe text. */
  readonly onLine?: ((line: () => string) => void) | undefined;
}

/** UTF-16 units that are kept. More than is shown, because lines full of secrets and escapes shrink. */
const KEPT = 65_536;
/** UTF-16 units of the beginning that are also kept: usage text and stack traces follow the reason. */
const BEGINNING_KEPT = 8192;
/** Longer lines are cut before they are delivered. */
const LINE_LENGTH = 4096;
const LINE_END = /\r\n|\n|\r/;

/** Text is redacted and cleaned only when it is asked for, so that a byte costs next to nothing. */
export function createStderrTail({ redact, onLine }: StderrTailOptions) {
  const kept = createBoundedText(KEPT);
  let beginning = '';
  const decoder = new TextDecoder();
  const lines =
    onLine === undefined
      ? undefined
      : createLines(({ text, cut }) =>
          onLine(() => sanitizeText(redact(text, cut ? 'end' : undefined), { maxLength: LINE_LENGTH })),
        );

  return {
    append(bytes: Uint8Array): void {
      const text = decoder.decode(bytes, { stream: true });
      if (beginning.length < BEGINNING_KEPT) beginning += text.slice(0, BEGINNING_KEPT - beginning.length);
      kept.append(text);
      lines?.push(text);
    },
    /** The stream has ended: delivers a last line that has no line end. */
    end: () => lines?.end(),
    /** Returns the lines that tell why the server failed, see {@link failureExcerpt}. */
    excerpt(limits: ExcerptLimits): string {
      if (kept.total <= KEPT) return failureExcerpt(redact(kept.tail()), limits);
      // A line break between them, so that the rests of two lines are not read as one.
      const parts = [redact(beginning, 'end'), redact(kept.tail(), 'start')];
      return failureExcerpt(parts.join('\n'), limits);
    },
    /** Returns the last lines, as many as fit. */
    lastLines(maxLines: number, maxLength: number): string {
      const text = redact(kept.tail(), kept.total > KEPT ? 'start' : undefined);
      const shown: string[] = [];
      let length = 0;
      for (const line of text.trimEnd().split(LINE_END).toReversed().slice(0, maxLines)) {
        const clean = sanitizeText(line, { maxLength });
        length += clean.length + 1;
        if (length > maxLength + 1) break;
        shown.unshift(clean);
      }
      return shown.join('\n');
    },
  };
}

interface CutLine {
  readonly text: string;
  /** The line was longer than this. */
  readonly cut: boolean;
}

/** Splits text into lines that may be `\r`-separated, as progress bars are, and keeps a bounded part of each. */
function createLines(onLine: (line: CutLine) => void) {
  let kept = '';
  let cut = false;
  const add = (text: string): void => {
    const room = LINE_LENGTH - kept.length;
    if (text.length > room) cut = true;
    kept += text.slice(0, Math.max(0, room));
  };
  const finish = (): void => {
    if (kept !== '') onLine({ text: kept, cut });
    kept = '';
    cut = false;
  };
  return {
    push(text: string): void {
      const parts = text.split(LINE_END);
      for (const [index, part] of parts.entries()) {
        if (index > 0) finish();
        add(part);
      }
    },
    end: finish,
  };
}

/** Keeps the last characters of a growing text, in O(1) per character. */
export function createBoundedText(limit: number) {
  let kept = '';
  let total = 0;
  const lastOf = (text: string): string => (text.length > limit ? text.slice(text.length - limit) : text);
  return {
    append(chunk: string): void {
      total += chunk.length;
      kept += lastOf(chunk);
      // Cut at twice the limit, not at each chunk, so that copying stays proportional to what is appended.
      if (kept.length > limit * 2) kept = lastOf(kept);
    },
    /** Returns the last `limit` UTF-16 units that were appended. */
    tail: () => lastOf(kept),
    /** Number of UTF-16 units that were appended in all. */
    get total() {
      return total;
    },
  };
}
