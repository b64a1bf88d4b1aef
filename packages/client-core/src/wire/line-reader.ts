import { concatBytes, createByteParts, createUtf8Decoder } from './bytes.js';

/** What came of one line. `oversized` and `not-utf8` are lines that were refused, the stream itself goes on. */
export type Line = { readonly kind: 'text'; readonly text: string } | RefusedLine;

export interface RefusedLine {
  readonly kind: 'not-utf8' | 'oversized';
  readonly bytes: number;
  /** Its first and last characters, so that the reader may guess what it was. */
  readonly head: string;
  readonly tail: string;
}

export interface LineReaderOptions {
  /** A longer line, in bytes without its end, is refused as a whole and never kept. */
  readonly maxBytes: number;
  readonly onLine: (line: Line) => void;
  /** Told how long a line that is being refused is so far, and how it began, so that an endless one can be ended. */
  readonly onDiscard?: ((bytes: number, head: string) => void) | undefined;
  /** Asked about the first character of each line that begins with ASCII. A line that it declines, and any other, is skipped. */
  readonly accepts?: ((firstCode: number) => boolean) | undefined;
  /** Told of each line that is skipped because of `accepts`. */
  readonly onSkip?: ((head: () => string) => void) | undefined;
}

/** Cuts a stream of bytes into lines that end in LF or CRLF. */
export interface LineReader {
  push(chunk: Uint8Array): void;
  /** Bytes of an unfinished line that are kept. */
  readonly pending: number;
}

const LF = 10;
const CR = 13;
const FIRST_BEYOND_ASCII = 0x80;
const EXCERPT_BYTES = 256;
const NOTHING = new Uint8Array(0);
const BOM = [0xef, 0xbb, 0xbf] as const;

/**
 * Linear in what arrives: each byte is searched once, and copied once when its line came in several chunks (twice when
 * those were tiny). A byte order mark before the first line is dropped. U+2028 and U+2029 do not end a line.
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes, onLine, onDiscard, accepts, onSkip } = options;
  const decode = createUtf8Decoder();
  const kept = createByteParts();
  let first = true;
  let discarding: { bytes: number; head: string; tail: Uint8Array } | undefined;

  const refuse = (kind: RefusedLine['kind'], line: Uint8Array): void =>
    onLine({ kind, bytes: line.length, head: excerpt(line), tail: excerpt(lastBytes(line)) });

  /** NaN: the line is empty. */
  const declines = (firstCode: number): boolean => {
    if (accepts === undefined || (first && firstCode === BOM[0])) return false;
    return !(firstCode < FIRST_BEYOND_ASCII) || firstCode === CR || !accepts(firstCode);
  };

  const finish = (end: Uint8Array): void => {
    if (discarding !== undefined) {
      const { bytes, head, tail } = discarding;
      discarding = undefined;
      first = false;
      onLine({ kind: 'oversized', bytes: bytes + end.length, head, tail: excerpt(lastBytes(tail, end)) });
      return;
    }
    const begin = kept.size === 0 ? NOTHING : kept.head(EXCERPT_BYTES);
    if (declines(begin[0] ?? end[0] ?? NaN)) {
      first = false;
      kept.clear();
      onSkip?.(() => excerpt(concatBytes([begin], end)));
      return;
    }
    const whole = kept.take(end);
    const from = first && startsWithBom(whole) ? BOM.length : 0;
    first = false;
    const to = whole[whole.length - 1] === CR ? whole.length - 1 : whole.length;
    const line = from === 0 && to === whole.length ? whole : whole.subarray(from, to);
    if (line.length > maxBytes) return refuse('oversized', line);
    const text = decode(line);
    if (text === undefined) refuse('not-utf8', line);
    else onLine({ kind: 'text', text });
  };

  const keep = (rest: Uint8Array): void => {
    if (discarding === undefined) {
      kept.add(rest);
      // A final CR, and a byte order mark before the first line, are no part of it.
      if (kept.size <= maxBytes + 1) return;
      if (first && kept.size <= maxBytes + 1 + BOM.length && mayStartWithBom(kept.head(BOM.length))) return;
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

  /** Whole lines, none of them the first: decoded at once, unless one of them may have to be refused. */
  const finishAll = (lines: Uint8Array): void => {
    const text = lines.length > maxBytes ? undefined : decode(lines);
    if (text === undefined) return finishEach(lines);
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start);
      if (declines(end === start ? NaN : text.charCodeAt(start))) {
        const from = start;
        onSkip?.(() => text.slice(from, Math.min(end, from + EXCERPT_BYTES)));
      } else {
        const to = text.charCodeAt(end - 1) === CR && end > start ? end - 1 : end;
        onLine({ kind: 'text', text: text.slice(start, to) });
      }
      start = end + 1;
    }
  };

  return {
    push(chunk) {
      let start = 0;
      if (first || discarding !== undefined || kept.size > 0) {
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

/** The bytes are a byte order mark, or the first ones of it. */
function mayStartWithBom(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => BOM[index] === byte);
}

function lastBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = concatBytes(parts.map((part) => part.subarray(-EXCERPT_BYTES)));
  return joined.subarray(-EXCERPT_BYTES).slice();
}

function excerpt(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES));
}
