import { concatBytes, createByteCollector, createUtf8Decoder } from '@mcp-fittings/toolbox/framing';
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
        body = size > maxBytes ? rejectedBody(size, maxBytes, sink) : wantedBody(size, sink);
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

    const takeBody = (current: Body, bytes: Uint8Array): number => {
      const taken = Math.min(current.missing, bytes.length);
      current.add(bytes.subarray(0, taken));
      if (current.missing === 0) body = undefined;
      return taken;
    };

    return {
      push(chunk) {
        for (let rest = chunk; rest.length > 0;) {
          const taken = body === undefined ? takeHeader(rest) : takeBody(body, rest);
          rest = rest.subarray(taken);
        }
      },
    };
  },
};

/** The message that a header announced. */
interface Body {
  /** Bytes that have not come yet. */
  readonly missing: number;
  add(bytes: Uint8Array): void;
}

function wantedBody(size: number, sink: FrameSink): Body {
  const decode = createUtf8Decoder();
  const parts = createByteCollector({ growsInPlace: size });
  let missing = size;
  return {
    get missing() {
      return missing;
    },
    add(bytes) {
      missing -= bytes.length;
      parts.add(bytes);
      if (missing > 0) return;
      const head = decodeLoosely(parts.head(EXCERPT_BYTES));
      const whole = parts.take(NOTHING);
      const text = decode(whole);
      const tail = text === undefined ? decodeLoosely(whole.subarray(-EXCERPT_BYTES)) : '';
      // Before the text is parsed, which takes its memory once more.
      parts.clear();
      if (text !== undefined) return sink.message(text.charCodeAt(0) === BOM ? text.slice(1) : text);
      sink.rejected({
        code: 'MESSAGE_INVALID',
        problem: 'A message from the server is not valid UTF-8.',
        head,
        tail,
      });
    },
  };
}

function rejectedBody(size: number, maxBytes: number, sink: FrameSink): Body {
  const problem = `A message from the server is larger than ${maxBytes} bytes.`;
  let missing = size;
  let head: Uint8Array = NOTHING;
  let tail: Uint8Array = NOTHING;
  let reported = false;
  const reject = (end?: Uint8Array): void => {
    const message = { code: 'MESSAGE_TOO_LARGE', problem, head: decodeLoosely(head) } as const;
    reported ||= sink.rejected({ ...message, ...(end !== undefined && { tail: decodeLoosely(end) }) });
  };
  return {
    get missing() {
      return missing;
    },
    add(bytes) {
      missing -= bytes.length;
      const wasShort = head.length < EXCERPT_BYTES;
      if (wasShort) head = concatBytes([head, bytes.subarray(0, EXCERPT_BYTES - head.length)]);
      tail = concatBytes([tail, bytes.subarray(-EXCERPT_BYTES)]).slice(-EXCERPT_BYTES);
      if (wasShort && head.length === EXCERPT_BYTES) reject();
      if (missing === 0) reject(tail);
    },
  };
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
