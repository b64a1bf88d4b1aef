import { sanitizeText } from '@mcp-fittings/client-core';
import type { ResponseHead } from '@mcp-fittings/network';
import { excerpt, type Redact } from '../errors/excerpt.js';
import type { MakeError } from '../errors/make-error.js';
import type { BodySink } from '../wire/send.js';

const EXCERPT_BYTES = 512;

/** For a reply that can't hold an answer: fails, at the latest after a few bytes, with an excerpt of the body. */
export function unusableSink(head: ResponseHead, makeError: MakeError, redact: Redact): BodySink {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = (): void => {
    const type =
      head.contentType === ''
        ? 'no content type'
        : `the content type ${sanitizeText(head.contentType, { maxLength: 80 })}`;
    const body = excerpt(Buffer.concat(chunks).toString('utf8'), redact, 120);
    const answer = `The server answered a request with ${head.status} and ${type}`;
    throw makeError('PROTOCOL_VIOLATION', body === '' ? `${answer}.` : `${answer}: ${body}`, {
      delivery: 'unknown',
      hint: 'Check that the URL is that of an MCP endpoint.',
      details: { status: head.status, contentType: sanitizeText(head.contentType, { maxLength: 80 }) },
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
