import { type RequestId, TransportError } from '@mcp-fittings/client-core';
import { concatBytes } from '@mcp-fittings/toolbox/framing';
import { answersId, isRecord, isRequestId, shapeOf } from '@mcp-fittings/toolbox/messages';
import { replyExcerpt } from '@mcp-fittings/toolbox/refusal';
import { type Redactor, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { BodySink, ResponseHead } from '@mcp-fittings/http-client';
import type { HttpConnection } from './http-connection.js';

/** Decides which responses answer a request. */
export interface OwnAnswerOptions {
  readonly id: RequestId;
  /** If true, the server may send several messages as one array, as in the revision 2025-03-26. */
  readonly batches: boolean;
  /** If true, an earlier request with another id opened the stream: any response in it is the answer then. */
  readonly resumed: boolean;
  /** Called with the answer. */
  readonly onAnswer: (answer: Readonly<Record<string, unknown>>) => void;
}

/** Accepts the answer of one request in its own reply, and no response to another request. */
export class OwnAnswer {
  readonly #options: OwnAnswerOptions;
  readonly #connection: HttpConnection;
  #received = false;

  constructor(options: OwnAnswerOptions, connection: HttpConnection) {
    this.#options = options;
    this.#connection = connection;
  }

  get received(): boolean {
    return this.#received;
  }

  /**
   * Takes a JSON value of the reply. `sole`: the reply contains nothing else, so that an error without an id can only answer this
   * request.
   */
  take(value: unknown, sole = false): void {
    const { id, batches, resumed, onAnswer } = this.#options;
    if (Array.isArray(value)) {
      // Some servers send the response to a single request in a list of one.
      if (!batches && !(value.length === 1 && isRecord(value[0]) && !('method' in value[0])))
        return this.#connection.reportMalformed();
      for (const element of value) if (!Array.isArray(element)) this.take(element, sole);
      return;
    }
    if (!isRecord(value)) return this.#connection.reportMalformed();
    if ('method' in value) return this.#connection.transport.receive(value);
    const given = value['id'];
    const mine = answersId(given, id) || (sole && !isRequestId(given) && shapeOf(value) === 'error');
    const resumes = resumed && isRequestId(given) && !this.#connection.transport.isPending(given);
    if (!mine && !resumes) return this.#connection.reportForeign(given);
    this.#received = true;
    onAnswer(given === id ? value : { ...value, id });
  }
}

/** Bytes of a body that are searched for secrets, and characters of it that an error shows. */
const EXCERPT_BYTES = 512;
const SHOWN = 120;

/** Collects a JSON body, which contains the answer. Fails with `MESSAGE_INVALID` if it is not JSON. */
export class JsonSink implements BodySink {
  readonly #answer: OwnAnswer;
  readonly #connection: HttpConnection;
  readonly #chunks: Uint8Array[] = [];

  constructor(answer: OwnAnswer, connection: HttpConnection) {
    this.#answer = answer;
    this.#connection = connection;
  }

  data(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  end(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : concatBytes(this.#chunks);
    const text = this.#connection.decode(bytes);
    if (text === undefined) {
      const message = 'The JSON body of the response is not valid UTF-8.';
      throw new TransportError('MESSAGE_INVALID', message, { delivery: 'unknown' });
    }
    this.#answer.take(this.#parse(text, bytes.length), true);
    if (!this.#answer.received) throw unanswered(this.#beginningOf(text));
  }

  #beginningOf(text: string): string {
    return replyExcerpt(text.slice(0, EXCERPT_BYTES), this.#connection.redact, SHOWN);
  }

  #parse(text: string, bytes: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // Without a cause, because the error of the parser repeats the text with its secrets.
      const message = `The body of the response (${bytes} bytes) is not valid JSON: ${this.#beginningOf(text)}`;
      throw new TransportError('MESSAGE_INVALID', message, { delivery: 'unknown' });
    }
  }
}

/** Creates the error for a reply that was read and does not answer its request. `text` is its beginning, if it is worth showing. */
export function unanswered(text = ''): TransportError {
  const why = text === '' ? '.' : `: ${text}`;
  return new TransportError(
    'PROTOCOL_VIOLATION',
    `The reply to the request does not contain its response${why}`,
    {
      delivery: 'unknown',
      hint: 'The server used another id, or sent other messages only.',
    },
  );
}

/** A sink for a reply that cannot contain an answer. Fails with an excerpt of the body, after a few hundred bytes at most. */
export function unusableSink(head: ResponseHead, redact: Redactor): BodySink {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = (): void => {
    const contentType = sanitizeText(head.contentType, { maxLength: 80 });
    const type = contentType === '' ? 'no content type' : `the content type ${contentType}`;
    const body = replyExcerpt(new TextDecoder().decode(concatBytes(chunks)), redact, SHOWN);
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
