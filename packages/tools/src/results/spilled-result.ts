import type { FittingsError } from '@mcp-fittings/client-core';
import type { Rendering } from './rendering.js';

/** Where the whole of a large result is kept. */
export interface SpilledResult {
  /** What the model passes to `read_result`. It cannot be guessed, and is valid in this conversation only. */
  readonly reference: string;
  /** UTF-16 units of the whole text. */
  readonly characters: number;
  /** Lines of the whole text. */
  readonly lines: number;
  /** Number of images, audio and files that are kept with the text. */
  readonly items: number;
  /** Bytes that the store holds for it. */
  readonly bytes: number;
  /** When the result is removed at the latest, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A result for the model, and what became of the part that it does not see. */
export interface RenderedResult {
  /** The result or its preview. */
  readonly rendering: Rendering;
  /** The whole result, if the rendering is a preview. */
  readonly spilled?: SpilledResult | undefined;
  /** Why the whole result could not be kept: `SPILL_FAILED`, or the error of the store. */
  readonly spillError?: FittingsError | undefined;
}
