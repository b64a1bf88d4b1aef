import { createByteParts } from './byte-parts.js';
import { concatBytes, createUtf8Decoder } from './bytes.js';

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
  /** Asked about the first byte of each line; a line that it declines is not decoded. Empty lines are never asked about. */
  readonly accepts?: ((firstByte: number) => boolean) | undefined;
  /** Told of each line that `accepts` declined, and of each empty one when there is an `accepts`. */
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

  const declines = (firstByte: number | undefined): boolean => {
    if (accepts === undefined || (first && firstByte === BOM[0])) return false;
    return firstByte === undefined || firstByte === CR || !accepts(firstByte);
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
    if (declines(begin[0] ?? end[0])) {
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
      if (first && kept.size <= maxBytes + 1 + BOM.length && startsWithBom(kept.head(BOM.length))) return;
      const head = excerpt(kept.head(EXCERPT_BYTES));
      discarding = { bytes: kept.size, head, tail: kept.tail(EXCERPT_BYTES) };
      kept.clear();
    } else {
      discarding.bytes += rest.length;
      discarding.tail = lastBytes(discarding.tail, rest);
    }
    onDiscard?.(discarding.bytes, discarding.head);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        finish(chunk.subarray(start, end));
        start = end + 1;
      }
      if (start < chunk.length) keep(start === 0 ? chunk : chunk.subarray(start));
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
