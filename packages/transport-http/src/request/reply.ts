import {
  concatBytes,
  createUtf8Decoder,
  isRecord,
  isRequestId,
  sanitizeText,
  shapeOf,
  TransportError,
  type Redactor,
  type RequestId,
} from '@mcp-fittings/client-core/transport';
import { replyExcerpt } from '@mcp-fittings/remote-policy';
import type { BodySink, ResponseHead } from '@mcp-fittings/http-client';
import type { HttpWire } from '../http-wire.js';

export interface OwnAnswerOptions {
  readonly id: RequestId;
  /** The server may send several messages as one array: revision 2025-03-26 only. */
  readonly batches: boolean;
  /** The stream was begun by an earlier request with another id: whichever answer it brings is the one. */
  readonly resumed: boolean;
  /** Where the answer goes. */
  readonly onAnswer: (answer: Readonly<Record<string, unknown>>) => void;
}

/** Lets one request be answered on its own stream, and no other request. */
export class OwnAnswer {
  readonly #options: OwnAnswerOptions;
  readonly #wire: HttpWire;
  #received = false;

  constructor(options: OwnAnswerOptions, wire: HttpWire) {
    this.#options = options;
    this.#wire = wire;
  }

  get received(): boolean {
    return this.#received;
  }

  /**
   * A value that came in reply to the request. `sole`: the reply carries nothing else, so that an error without id can
   * only mean this request.
   */
  take(value: unknown, sole = false): void {
    const { id, batches, resumed, onAnswer } = this.#options;
    if (Array.isArray(value)) {
      if (!batches) this.#wire.reportMalformed();
      else for (const element of value) if (!Array.isArray(element)) this.take(element, sole);
      return;
    }
    if (!isRecord(value)) return this.#wire.reportMalformed();
    if ('method' in value) return this.#wire.receive(value);
    const given = value['id'];
    const mine = given === id || (sole && !isRequestId(given) && shapeOf(value) === 'error');
    const resumes = resumed && isRequestId(given) && !this.#wire.transport.isPending(given);
    if (!mine && !resumes) return this.#wire.reportForeign(given);
    this.#received = true;
    onAnswer(given === id ? value : { ...value, id });
  }
}

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
