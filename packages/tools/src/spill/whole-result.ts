import { setImmediate } from 'node:timers/promises';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { byteLength, checkMedia, readableSize } from '../results/media.js';
import type { MediaPart } from '../results/rendering.js';
import { describeMedia, type Segment } from '../results/render-result.js';
import type { ImageScaler } from './bounded-image.js';
import { cleanPieces } from './clean-pieces.js';
import { RecordWriter } from './result-record.js';

/** A result as it is kept, and what of it a model may see at once. */
export interface WholeResult {
  readonly record: RecordWriter;
  /** The beginning of the text, at least `headLength` characters of it if it has as many. */
  readonly head: string;
  /** The images and audio that fit, each with its place in the text, and with the line of the text that describes it. */
  readonly media: readonly { readonly at: number; readonly line: string; readonly part: MediaPart }[];
  /** Whether an image or audio is described, or smaller than it was. */
  readonly isReduced: boolean;
}

/** Options of {@link readWholeResult}. */
export interface WholeResultOptions {
  readonly headLength: number;
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
  { headLength, maxBytes, maxMedia, maxMediaBytes, scaler, signal }: WholeResultOptions,
): Promise<WholeResult> {
  const record = new RecordWriter(maxBytes);
  const media: { at: number; line: string; part: MediaPart }[] = [];
  let head = '';
  let isReduced = false;
  const write = (text: string): void => {
    record.addText(text);
    if (head.length < headLength) head += text;
  };
  const writeLine = (text: string): void => write(record.characters === 0 ? text : `\n${text}`);

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
    const { type, mimeType, data: base64 } = check.part;
    const data = Buffer.from(base64, 'base64');
    record.addItem({ type, mimeType, bytes: data.length }, data);
    const shown =
      media.length >= maxMedia
        ? { problem: 'the result has too many media' }
        : await boundMedia(check.part, data, maxMediaBytes, scaler);
    const facts = [`item ${record.itemCount}`, segment.label, mimeType, readableSize(data.length)];
    if (shown.part === undefined) facts.push(`not shown: ${shown.problem}`);
    else if (shown.scaled !== undefined) {
      const { from, to } = shown.scaled;
      facts.push(`scaled from ${from.width} × ${from.height} to ${to.width} × ${to.height} pixels`);
    }
    const line = clean(`[${facts.filter((fact) => fact !== '').join(', ')}]`);
    writeLine(line);
    if (shown.part !== undefined) media.push({ at: record.characters, line, part: shown.part });
    isReduced ||= shown.part !== check.part;
  }
  return { record, head, media, isReduced };
}

/** Shorter pieces take less than a tenth of a millisecond. */
const YIELD_AFTER = 10_000;

type BoundedMedia = Awaited<ReturnType<ImageScaler['bound']>>;

/** Returns media that fit, or why they do not. Audio is bounded in bytes only: no part of it means the same as the whole. */
export async function boundMedia(
  part: MediaPart,
  data: Uint8Array,
  maxBytes: number,
  scaler: ImageScaler | undefined,
): Promise<BoundedMedia> {
  if (part.type === 'image' && scaler !== undefined) return scaler.bound(part, data, maxBytes);
  if (byteLength(part.data) <= maxBytes) return { part };
  return { problem: `it is larger than ${readableSize(maxBytes)}` };
}

const clean = (text: string): string => sanitizeText(text, { maxLength: 2_400 });
