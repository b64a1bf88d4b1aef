import { concatBytes, createUtf8Decoder } from '@mcp-fittings/client-core/transport';
import { excerpt, type Redact } from '../errors/excerpt.js';
import type { MakeError } from '../errors/make-error.js';
import type { BodySink } from '../wire/send.js';

/** So much is searched for secrets, and so much is shown. */
const EXCERPT = 512;
const SHOWN = 120;

/** Collects a JSON body and hands on its value; fails with `MESSAGE_INVALID` when it holds none. */
export function jsonSink(onValue: (value: unknown) => void, makeError: MakeError, redact: Redact): BodySink {
  const chunks: Uint8Array[] = [];
  return {
    data: (bytes) => void chunks.push(bytes),
    end() {
      const [only] = chunks;
      const bytes = chunks.length === 1 && only !== undefined ? only : concatBytes(chunks);
      const text = createUtf8Decoder()(bytes);
      onValue(parse(text, bytes, makeError, redact));
    },
  };
}

function parse(text: string | undefined, bytes: Uint8Array, makeError: MakeError, redact: Redact): unknown {
  if (text === undefined) {
    throw makeError('MESSAGE_INVALID', 'The JSON body of an answer is not UTF-8.', { delivery: 'unknown' });
  }
  try {
    return JSON.parse(text);
  } catch {
    // No cause: the parser's own error repeats the text as it came.
    const beginning = excerpt(text.slice(0, EXCERPT), redact, SHOWN);
    throw makeError(
      'MESSAGE_INVALID',
      `The JSON body of an answer is malformed (${bytes.length} bytes): ${beginning}`,
      {
        delivery: 'unknown',
      },
    );
  }
}
