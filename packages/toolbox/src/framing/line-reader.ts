import { concatBytes, createByteCollector, createUtf8Decoder } from './bytes.js';

/** One line, as its text or as a refusal. Reading continues after a refused line. */
export type Line = { readonly kind: 'text'; readonly text: string } | RefusedLine;

/** A line that is too long or not valid UTF-8. */
export interface RefusedLine {
  /** Reason for the refusal. */
  readonly kind: 'not-utf8' | 'oversized';
  /** Length in bytes. */
  readonly bytes: number;
  /** Its first characters, which may tell what it was. */
  readonly head: string;
  /** Its last characters. */
  readonly tail: string;
}

/** Options of {@link createLineReader}. */
export interface LineReaderOptions {
  /** Longest line in bytes, without its end. A longer one is refused, and not kept. */
  readonly maxBytes: number;
  /** Called with each line. */
  readonly onLine: (line: Line) => void;
  /** Called while a line that is too long arrives, with its length so far and its beginning, so that you can stop an endless one. */
  readonly onDiscard?: ((bytes: number, head: string) => void) | undefined;
  /** Called with the first character of each line that begins with ASCII. If it returns false, and for any other line, the line is skipped. Default: every line is read. */
  readonly accepts?: ((firstCode: number) => boolean) | undefined;
  /** Called for each line that is skipped because of {@link accepts}. */
  readonly onSkip?: ((head: () => string) => void) | undefined;
}

/** Splits a stream of bytes into lines that end in LF or CRLF, see {@link createLineReader}. */
export interface LineReader {
  /** Adds the next bytes of the stream. */
  push(chunk: Uint8Array): void;
  /** Number of bytes of an unfinished line. */
  readonly pending: number;
}

const LF = 10;
const CR = 13;
const FIRST_BEYOND_ASCII = 0x80;
const EXCERPT_BYTES = 256;
const BOM = [0xef, 0xbb, 0xbf] as const;
const BOM_CODE = 0xfeff;

/**
 * Creates a reader of lines. It takes linear time: each byte is searched once, and copied once if its line arrives in several
 * chunks (twice if those are tiny). A byte order mark before a line is dropped. U+2028 and U+2029 do not end a line.
 *
 * @example
 * ```ts
 * const reader = createLineReader({
 *   maxBytes: 1024 * 1024,
 *   onLine: (line) => line.kind === 'text' && transport.receive(JSON.parse(line.text)),
 * });
 * socket.on('data', (chunk) => reader.push(chunk));
 * ```
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes, onLine, onDiscard, accepts, onSkip } = options;
  const decode = createUtf8Decoder();
  // A final CR, and a byte order mark before the line, do not count.
  const kept = createByteCollector({ growsInPlace: maxBytes + 1 + BOM.length });
  let discarding: { bytes: number; head: string; tail: Uint8Array } | undefined;

  const refuse = (kind: RefusedLine['kind'], line: Uint8Array): void =>
    onLine({ kind, bytes: line.length, head: excerpt(line), tail: excerpt(lastBytes(line)) });

  /** NaN: the line is empty. */
  const declines = (firstCode: number): boolean => {
    if (accepts === undefined) return false;
    return !(firstCode < FIRST_BEYOND_ASCII) || firstCode === CR || !accepts(firstCode);
  };

  const finish = (end: Uint8Array): void => {
    if (discarding !== undefined) {
      const { bytes, head, tail } = discarding;
      discarding = undefined;
      onLine({ kind: 'oversized', bytes: bytes + end.length, head, tail: excerpt(lastBytes(tail, end)) });
      return;
    }
    const whole = kept.take(end);
    const from = startsWithBom(whole) ? BOM.length : 0;
    const to = whole[whole.length - 1] === CR ? whole.length - 1 : whole.length;
    if (declines(whole[from] ?? NaN)) {
      onSkip?.(() => excerpt(whole));
      return kept.clear();
    }
    const line = whole.subarray(from, to);
    const isTooLong = line.length > maxBytes;
    const text = isTooLong ? undefined : decode(line);
    if (text === undefined) refuse(isTooLong ? 'oversized' : 'not-utf8', line);
    // Before the text is parsed, which takes its memory once more.
    kept.clear();
    if (text !== undefined) onLine({ kind: 'text', text });
  };

  const keep = (rest: Uint8Array): void => {
    if (discarding === undefined) {
      kept.add(rest);
      // A final CR, and a byte order mark before the line, do not count.
      if (kept.size <= maxBytes + 1 + BOM.length) return;
      const head = excerpt(kept.head(EXCERPT_BYTES));
      discarding = { bytes: kept.size, head, tail: kept.tail(EXCERPT_BYTES) };
      kept.clear();
    } else {
      discarding.bytes += rest.length;
      discarding.tail = lastBytes(discarding.tail, rest);
    }
    onDiscard?.(discarding.bytes, discarding.head);
  };

  const finishEach = (lines: Uint8Array): void => {
    let start = 0;
    for (let end = lines.indexOf(LF); end !== -1; end = lines.indexOf(LF, start)) {
      finish(lines.subarray(start, end));
      start = end + 1;
    }
  };

  /** Decodes whole lines at once, unless one of them may have to be refused. */
  const finishAll = (lines: Uint8Array): void => {
    const text = lines.length > maxBytes ? undefined : decode(lines);
    if (text === undefined) return finishEach(lines);
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start);
      const from = text.charCodeAt(start) === BOM_CODE ? start + 1 : start;
      if (declines(end === from ? NaN : text.charCodeAt(from))) {
        onSkip?.(() => text.slice(from, Math.min(end, from + EXCERPT_BYTES)));
      } else {
        const to = text.charCodeAt(end - 1) === CR && end > from ? end - 1 : end;
        onLine({ kind: 'text', text: text.slice(from, to) });
      }
      start = end + 1;
    }
  };

  return {
    push(chunk) {
      let start = 0;
      if (discarding !== undefined || kept.size > 0) {
        start = chunk.indexOf(LF) + 1;
        if (start === 0) return keep(chunk);
        finish(chunk.subarray(0, start - 1));
      }
      const end = chunk.lastIndexOf(LF) + 1;
      if (end > start) finishAll(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
      if (end < chunk.length) keep(end === 0 ? chunk : chunk.subarray(end));
    },
    get pending() {
      return kept.size;
    },
  };
}

function startsWithBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, index) => bytes[index] === byte);
}

function lastBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = concatBytes(parts.map((part) => part.subarray(-EXCERPT_BYTES)));
  return joined.subarray(-EXCERPT_BYTES).slice();
}

function excerpt(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES));
}
