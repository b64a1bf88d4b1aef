import { parseJson } from '@mcp-fittings/toolbox/messages';
import type { Framing, FrameSink } from './framing.js';

export interface MessageSink extends Omit<FrameSink, 'message'> {
  /** A parsed JSON value. */
  value(value: unknown): void;
}

export interface MessageReaderOptions {
  readonly framing: Framing;
  readonly sink: MessageSink;
  readonly maxBytes: number;
  /** Called with each text that may be a message. Passes it to {@link MessageReader.parse}, now or later, in order. */
  readonly found: (text: string) => void;
}

/** Log lines that begin with a bracket are common. Every message matches. */
const MAY_BE_MESSAGE = /^\s*(?:\[\s*)?\{\s*["}]/;
const EXCERPT = 256;

/** Turns the bytes of a server into parsed messages. */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly push: (chunk: Uint8Array) => void;

  constructor({ framing, sink, maxBytes, found }: MessageReaderOptions) {
    this.#sink = sink;
    const message = (text: string): void => {
      // The expression takes longer than all else that happens to a message before it is parsed.
      if (text.startsWith('{"') || MAY_BE_MESSAGE.test(text)) found(text);
      else sink.noise(() => text.slice(0, EXCERPT));
    };
    this.push = framing.createReader({ ...sink, message }, maxBytes);
  }

  parse(text: string): void {
    const value = parseJson(text);
    if (value !== undefined) return this.#sink.value(value);
    const excerpt = { head: text.slice(0, EXCERPT), tail: text.slice(-EXCERPT) };
    const problem = 'A message from the server is not valid JSON.';
    this.#sink.rejected({ code: 'MESSAGE_INVALID', problem, ...excerpt });
  }
}
