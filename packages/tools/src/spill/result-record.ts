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
  text: z.string(),
  items: z.array(z.object({ type: z.enum(['image', 'audio']), mimeType: z.string(), data: z.string() })),
});

/** Writes a result as JSON. */
export function encodeResult({ text, items }: StoredResult): Uint8Array {
  return Buffer.from(JSON.stringify({ text, items }));
}

/** Reads what {@link encodeResult} wrote. Throws `SPILL_FAILED` if the bytes are other ones. */
export function decodeResult(bytes: Uint8Array): StoredResult {
  try {
    return shape.parse(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()));
  } catch (cause) {
    throw new FittingsError('SPILL_FAILED', 'A stored result is incomplete or damaged.', {
      cause,
      hint: 'Call the tool again.',
      retryable: false,
    });
  }
}
