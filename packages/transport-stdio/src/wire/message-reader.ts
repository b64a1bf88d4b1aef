import type { Framing, FrameSink } from './framing.js';

export interface MessageSink extends Omit<FrameSink, 'message'> {
  /** A parsed JSON value. */
  value(value: unknown): void;
}

/** Turns the bytes of a server into parsed messages. */
export interface MessageReader {
  /** True: that was a lot, the event loop should have a turn before more is read. */
  push(chunk: Uint8Array): boolean;
}

/** So many messages and other lines in one chunk are a lot. */
const MANY = 1000;
/** Log lines that begin with a bracket are common; no message is left out. */
const MAY_BE_MESSAGE = /^\s*(?:\[\s*)?\{\s*["}]/;
const EXCERPT = 256;

export function createMessageReader(framing: Framing, sink: MessageSink, maxBytes: number): MessageReader {
  let found = 0;

  const noise = (head: () => string): void => {
    found++;
    sink.noise(head);
  };

  const message = (text: string): void => {
    if (!MAY_BE_MESSAGE.test(text)) return noise(() => text.slice(0, EXCERPT));
    found++;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      const excerpt = { head: text.slice(0, EXCERPT), tail: text.slice(-EXCERPT) };
      sink.refused({
        code: 'MESSAGE_INVALID',
        problem: 'A message of the server is not valid JSON.',
        ...excerpt,
      });
      return;
    }
    sink.value(value);
  };

  const reader = framing.createReader({ ...sink, message, noise }, maxBytes);
  return {
    push(chunk) {
      found = 0;
      reader.push(chunk);
      return found > MANY;
    },
  };
}
