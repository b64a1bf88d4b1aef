import {
  type ByteCollector,
  concatBytes,
  createByteCollector,
  createUtf8Decoder,
} from '@mcp-fittings/toolbox/framing';
import { HOPELESS_FACTOR, type Framing, type FrameSink } from './framing.js';

const LF = 10;
const BOM = 0xfeff;
const NOTHING = new Uint8Array(0);
/** Bytes that are kept of one header line; a longer line is not one of ours. */
const HEADER_LINE_BYTES = 4096;
const EXCERPT_BYTES = 256;

/**
 * A header block before each message, as in the Language Server Protocol. Some MCP hosts and servers use it. Other lines
 * between messages are skipped, as log lines are with the newline framing.
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#baseProtocol
 */
export const contentLengthFraming: Framing = {
  frame: (json) => `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,

  createReader(sink, maxBytes) {
    const line = createByteCollector();
    let lineBytes = 0;
    let length: number | undefined;
    let body: Body | undefined;
    let broken = false;

    const breakOff = (code: 'PROTOCOL_VIOLATION' | 'MESSAGE_TOO_LARGE', problem: string): void => {
      broken = true;
      sink.broken(code, problem);
    };

    const begin = (size: number): void => {
      if (size > maxBytes * HOPELESS_FACTOR) {
        breakOff('MESSAGE_TOO_LARGE', `The server announced a message of ${size} bytes.`);
      } else if (size > 0) {
        body = new Body(size, maxBytes, sink);
      }
    };

    const headerLine = (text: string): void => {
      if (text === '' && length !== undefined) {
        begin(length);
        length = undefined;
        return;
      }
      const value = /^content-length\s*:(.*)$/i.exec(text)?.[1]?.trim();
      if (value === undefined) {
        if (!/^content-type\s*:/i.test(text)) sink.noise(() => text.slice(0, EXCERPT_BYTES));
      } else if (!/^\d{1,15}$/.test(value)) {
        breakOff('PROTOCOL_VIOLATION', 'The server sent a Content-Length that is not a number.');
      } else if (length !== undefined && length !== Number(value)) {
        breakOff('PROTOCOL_VIOLATION', 'The server sent two different Content-Length headers.');
      } else {
        length = Number(value);
      }
    };

    /** Reads one line, or the beginning of one, and returns how many bytes that was. */
    const takeHeader = (bytes: Uint8Array): number => {
      if (broken) return bytes.length;
      const end = bytes.indexOf(LF);
      const part = end === -1 ? bytes : bytes.subarray(0, end);
      lineBytes += part.length;
      line.add(part.subarray(0, HEADER_LINE_BYTES - line.size));
      if (lineBytes > maxBytes) {
        breakOff('MESSAGE_TOO_LARGE', `The server wrote ${lineBytes} bytes without a line end.`);
      }
      if (end === -1) return bytes.length;
      lineBytes = 0;
      // As UTF-8, in which trim() removes a byte order mark too.
      headerLine(Buffer.from(line.take(NOTHING)).toString('utf8').trim());
      return end + 1;
    };

    return (chunk) => {
      for (let rest = chunk; rest.length > 0;) {
        const taken = body === undefined ? takeHeader(rest) : body.take(rest);
        rest = rest.subarray(taken);
        if (body?.missing === 0) body = undefined;
      }
    };
  },
};

/** The message that a header announced. Of one that is too large, only the ends are kept. */
class Body {
  /** Bytes that have not come yet. */
  missing: number;
  readonly #maxBytes: number;
  readonly #sink: FrameSink;
  readonly #isTooLarge: boolean;
  readonly #kept: ByteCollector;
  #tail = NOTHING;

  constructor(size: number, maxBytes: number, sink: FrameSink) {
    this.missing = size;
    this.#maxBytes = maxBytes;
    this.#sink = sink;
    this.#isTooLarge = size > maxBytes;
    this.#kept = createByteCollector({ growsInPlace: this.#isTooLarge ? 0 : size });
  }

  /** Reads some or all of these bytes, and returns how many. */
  take(bytes: Uint8Array): number {
    const part = bytes.subarray(0, this.missing);
    this.missing -= part.length;
    this.#kept.add(this.#isTooLarge ? part.subarray(0, EXCERPT_BYTES - this.#kept.size) : part);
    this.#tail = concatBytes([this.#tail, part.subarray(-EXCERPT_BYTES)]).slice(-EXCERPT_BYTES);
    if (this.missing === 0) this.#finish();
    return part.length;
  }

  #finish(): void {
    const head = decodeLoosely(this.#kept.head(EXCERPT_BYTES));
    const text = this.#isTooLarge ? undefined : createUtf8Decoder()(this.#kept.take(NOTHING));
    // Before the text is parsed, which takes its memory once more.
    this.#kept.clear();
    if (text !== undefined) return this.#sink.message(text.charCodeAt(0) === BOM ? text.slice(1) : text);
    this.#sink.rejected({
      code: this.#isTooLarge ? 'MESSAGE_TOO_LARGE' : 'MESSAGE_INVALID',
      problem: this.#isTooLarge
        ? `A message from the server is larger than ${this.#maxBytes} bytes.`
        : 'A message from the server is not valid UTF-8.',
      head,
      tail: decodeLoosely(this.#tail),
    });
  }
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
