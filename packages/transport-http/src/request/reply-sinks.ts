import { sanitizeText, TransportError, type Redactor } from '@mcp-fittings/client-core';
import { concatBytes, createUtf8Decoder } from '@mcp-fittings/client-core/transport';
import { replyExcerpt } from '@mcp-fittings/net-policy';
import type { BodySink, ResponseHead } from '@mcp-fittings/network';
import type { OwnAnswer } from './own-answer.js';

/** So much of a body is searched for secrets, and so much is shown. */
const EXCERPT_BYTES = 512;
const SHOWN = 120;

/** Collects a JSON body, which holds the answer; fails with `MESSAGE_INVALID` when it is no JSON. */
export class JsonSink implements BodySink {
  readonly #answer: OwnAnswer;
  readonly #redact: Redactor;
  readonly #chunks: Uint8Array[] = [];

  constructor(answer: OwnAnswer, redact: Redactor) {
    this.#answer = answer;
    this.#redact = redact;
  }

  data(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  end(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : concatBytes(this.#chunks);
    const text = createUtf8Decoder()(bytes);
    if (text === undefined) {
      throw new TransportError('MESSAGE_INVALID', 'The JSON body of an answer is not UTF-8.', {
        delivery: 'unknown',
      });
    }
    this.#answer.take(this.#parse(text, bytes.length), true);
  }

  #parse(text: string, bytes: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // No cause: the parser's own error repeats the text as it came.
      const beginning = replyExcerpt(text.slice(0, EXCERPT_BYTES), this.#redact, SHOWN);
      const message = `The JSON body of an answer is malformed (${bytes} bytes): ${beginning}`;
      throw new TransportError('MESSAGE_INVALID', message, { delivery: 'unknown' });
    }
  }
}

/** For a reply that cannot hold an answer: fails, at the latest after a few bytes, with an excerpt of the body. */
export function unusableSink(head: ResponseHead, redact: Redactor): BodySink {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = (): void => {
    const contentType = sanitizeText(head.contentType, { maxLength: 80 });
    const type = contentType === '' ? 'no content type' : `the content type ${contentType}`;
    const body = replyExcerpt(Buffer.concat(chunks).toString('utf8'), redact, SHOWN);
    const answer = `The server answered a request with ${head.status} and ${type}`;
    throw new TransportError('PROTOCOL_VIOLATION', body === '' ? `${answer}.` : `${answer}: ${body}`, {
      delivery: 'unknown',
      hint: 'Check that the URL is that of an MCP endpoint.',
      details: { status: head.status, contentType },
    });
  };
  return {
    data(chunk) {
      chunks.push(chunk.subarray(0, EXCERPT_BYTES));
      bytes += chunk.length;
      if (bytes >= EXCERPT_BYTES) end();
    },
    end,
  };
}
