import { sanitizeText, type Redactor } from '@mcp-fittings/client-core/transport';
import { createBoundedText } from './bounded-text.js';
import { failureExcerpt, type ExcerptLimits } from './failure-excerpt.js';

/** The last that a server wrote on stderr, fit to show: no secret, no control sequence, bounded. */
export interface StderrTail {
  append(bytes: Uint8Array): void;
  /** The stream has ended: hands on a last line without an end. */
  end(): void;
  /** What tells why the server failed: see {@link failureExcerpt}. */
  excerpt(limits: ExcerptLimits): string;
  /** The last lines, as many as fit. */
  lastLines(maxLines: number, maxLength: number): string;
}

export interface StderrTailOptions {
  readonly redact: Redactor;
  /** Told of each line as it is complete; the function cleans it. */
  readonly onLine?: ((line: () => string) => void) | undefined;
}

/** UTF-16 units that are kept; more than anybody is shown, because lines full of secrets and escapes shrink. */
const KEPT = 65_536;
/** UTF-16 units of the beginning that are kept besides: usage text and stack traces follow the reason. */
const BEGINNING_KEPT = 8192;
/** Longer lines are cut before they are handed on. */
const LINE_LENGTH = 4096;
const LINE_END = /\r\n|\n|\r/;

/** Costs next to nothing a byte while nobody looks: text is redacted and cleaned when it is asked for. */
export function createStderrTail(options: StderrTailOptions): StderrTail {
  const { redact, onLine } = options;
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
    append(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      if (beginning.length < BEGINNING_KEPT) beginning += text.slice(0, BEGINNING_KEPT - beginning.length);
      kept.append(text);
      lines?.push(text);
    },
    end: () => lines?.end(),
    excerpt(limits) {
      if (kept.total <= KEPT) return failureExcerpt(redact(kept.tail()), limits);
      // A line break between them, so that what the cut left of two lines is not taken for one.
      const parts = [redact(beginning, 'end'), redact(kept.tail(), 'start')];
      return failureExcerpt(parts.join('\n'), limits);
    },
    lastLines(maxLines, maxLength) {
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
function createLines(onLine: (line: CutLine) => void): { push(text: string): void; end(): void } {
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
    push(text) {
      const parts = text.split(LINE_END);
      for (const [index, part] of parts.entries()) {
        if (index > 0) finish();
        add(part);
      }
    },
    end: finish,
  };
}
