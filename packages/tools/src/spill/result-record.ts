import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';
import type { MediaPart } from '../results/rendering.js';

/** A whole result as it is kept. A store may be written by others. */
export interface StoredResult {
  /** Sanitized when it was kept. */
  readonly text: string;
  /** Its images and audio. */
  readonly items: readonly MediaPart[];
}

const shape = z.object({
  /** Length of the text. */
  bytes: z.number(),
  items: z.array(z.object({ type: z.enum(['image', 'audio']), mimeType: z.string(), data: z.string() })),
});

/** Writes a result: a line of JSON, then the text in UTF-8. */
export function encodeResult({ text, items }: StoredResult): Uint8Array {
  const content = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ bytes: content.length, items })}\n`), content]);
}

/** Reads what {@link encodeResult} wrote. Throws `SPILL_FAILED` if the bytes are other ones. */
export function decodeResult(stored: Uint8Array): StoredResult {
  const buffer = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const start = buffer.indexOf('\n') + 1;
  try {
    const { bytes, items } = shape.parse(JSON.parse(buffer.toString('utf8', 0, start)));
    if (bytes !== buffer.length - start) throw new RangeError('The text has another length.');
    return { text: buffer.toString('utf8', start), items };
  } catch {
    // Without the cause, which quotes the result.
    throw new FittingsError('SPILL_FAILED', 'A stored result is incomplete or damaged.', {
      hint: 'Call the tool again.',
      retryable: false,
    });
  }
}
