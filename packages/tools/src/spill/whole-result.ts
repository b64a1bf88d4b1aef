import { setImmediate } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { byteLength, checkMedia, readableSize } from '../results/media.js';
import type { MediaPart } from '../results/rendering.js';
import { describeMedia, type Segment } from '../results/render-result.js';
import type { ImageScaler } from './bounded-image.js';
import { cleanPieces } from './clean-pieces.js';
import type { StoredResult } from './result-record.js';

/** A result as it is kept, and what of it a model may see at once. */
export interface WholeResult extends StoredResult {
  /** The images and audio that fit, each with its place in the text, and with the line of the text that describes it. */
  readonly media: readonly { readonly at: number; readonly line: string; readonly part: MediaPart }[];
  /** True if an image or audio is described, or smaller than it was. */
  readonly isReduced: boolean;
}

/** Options of {@link readWholeResult}. */
export interface WholeResultOptions {
  /** A result with more is not kept: it throws `SPILL_FAILED`. */
  readonly maxBytes: number;
  readonly maxMedia: number;
  readonly maxMediaBytes: number;
  readonly scaler: ImageScaler | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sanitizes a whole result. Its text is that of `renderForModel` without a limit, with a line for each image and audio. Lets
 * other work run after each piece, because a large result takes seconds.
 */
export async function readWholeResult(
  segments: readonly Segment[],
  { maxBytes, maxMedia, maxMediaBytes, scaler, signal }: WholeResultOptions,
): Promise<WholeResult> {
  const items: MediaPart[] = [];
  const media: { at: number; line: string; part: MediaPart }[] = [];
  let text = '';
  let bytes = 0;
  let isReduced = false;
  const count = (more: number): void => {
    bytes += more;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
  };
  const write = (piece: string): void => {
    count(Buffer.byteLength(piece));
    text += piece;
  };
  const writeLine = (line: string): void => write(text === '' ? line : `\n${line}`);

  for (const segment of segments) {
    signal.throwIfAborted();
    if (segment.kind === 'text') {
      let blank = '';
      let started = false;
      for (const piece of cleanPieces(segment.text)) {
        if (started) write(piece);
        else if (piece.trim() === '') blank += piece;
        else {
          writeLine(blank + piece);
          started = true;
        }
        if (piece.length > YIELD_AFTER) {
          await setImmediate();
          signal.throwIfAborted();
        }
      }
      continue;
    }
    const check = checkMedia(segment.data, segment.mimeType, Infinity);
    if (check.problem !== undefined) {
      writeLine(clean(describeMedia(segment, check.problem)));
      continue;
    }
    const { mimeType, data } = check.part;
    const size = byteLength(data);
    count(size);
    items.push(check.part);
    const shown =
      media.length >= maxMedia
        ? { problem: 'the result has too many media' }
        : await boundMedia(check.part, maxMediaBytes, scaler);
    const facts = [`item ${items.length}`, segment.label, mimeType, readableSize(size)];
    if (shown.part === undefined) facts.push(`not shown: ${shown.problem}`);
    else if (shown.scaled !== undefined) {
      const { from, to } = shown.scaled;
      facts.push(`scaled from ${from.width} × ${from.height} to ${to.width} × ${to.height} pixels`);
    }
    const line = clean(`[${facts.filter((fact) => fact !== '').join(', ')}]`);
    writeLine(line);
    if (shown.part !== undefined) media.push({ at: text.length, line, part: shown.part });
    isReduced ||= shown.part !== check.part;
  }
  return { text, items, media, isReduced };
}

function tooLarge(maxBytes: number): FittingsError {
  return new FittingsError('SPILL_FAILED', `The result is larger than ${maxBytes} bytes.`, {
    hint: 'Increase maxResultBytes of createSpill().',
    retryable: false,
  });
}

/** Shorter pieces take less than a tenth of a millisecond. */
const YIELD_AFTER = 10_000;

type BoundedMedia = Awaited<ReturnType<ImageScaler['bound']>>;

/** Returns media that fit, or why they do not. Audio is bounded in bytes only: no part of it means the same as the whole. */
export async function boundMedia(
  part: MediaPart,
  maxBytes: number,
  scaler: ImageScaler | undefined,
): Promise<BoundedMedia> {
  if (part.type === 'image' && scaler !== undefined) return scaler.bound(part, maxBytes);
  if (byteLength(part.data) <= maxBytes) return { part };
  return { problem: `it is larger than ${readableSize(maxBytes)}` };
}

const clean = (text: string): string => sanitizeText(text, { maxLength: 2_400 });
