import type { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText, truncateText } from '@mcp-fittings/client-core/text';
import type { ToolResult } from '@mcp-fittings/host';
import { byteLength, judgeMedia, readableSize } from './media.js';
import {
  DEFAULT_MAX_CHARACTERS,
  DEFAULT_MAX_MEDIA,
  DEFAULT_MAX_MEDIA_BYTES,
  type RenderedPart,
  type Rendering,
  type RenderOptions,
} from './rendering.js';
import { segmentsOf, type Segment } from './segments.js';

/**
 * A result for a model. Images and sounds stay parts of their own when they are what they claim to be; everything
 * else becomes text. Nothing is fetched.
 */
export function renderForModel(result: ToolResult, options: RenderOptions = {}): Rendering {
  return renderingOf(render(result, options, true), result.isError === true);
}

/** A result for a person at a terminal: text only. Images and sounds are mentioned. */
export function renderForPerson(result: ToolResult, options: RenderOptions = {}): string {
  const { text } = renderingOf(render(result, options, false), false);
  return result.isError === true ? `The tool failed: ${text}` : text;
}

/** A failed call for a model: what happened and what can be done. */
export function renderError(error: FittingsError): Rendering {
  const text = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return renderingOf(
    [{ type: 'text', text: sanitizeText(text, { maxLength: 4_000, multiline: true }) }],
    true,
  );
}

function renderingOf(parts: readonly RenderedPart[], isError: boolean): Rendering {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { parts, text, isError };
}

function render(result: ToolResult, options: RenderOptions, withMedia: boolean): readonly RenderedPart[] {
  const { maxCharacters = DEFAULT_MAX_CHARACTERS, maxMediaBytes = DEFAULT_MAX_MEDIA_BYTES } = options;
  const page = new Page(maxCharacters);
  let mediaLeft = options.maxMedia ?? DEFAULT_MAX_MEDIA;
  for (const segment of segmentsOf(result, maxCharacters)) {
    if (segment.kind === 'text') {
      page.write(segment.text);
      continue;
    }
    if (!withMedia) {
      page.write(mention(segment));
      continue;
    }
    const verdict = judgeMedia(segment.data, segment.mimeType, maxMediaBytes);
    if (verdict.problem !== undefined) page.write(mention(segment, verdict.problem));
    else if (mediaLeft-- > 0) page.place(verdict.part);
    else page.write(mention(segment, 'there are too many in one result'));
  }
  return page.finish();
}

function mention(segment: Segment & { kind: 'media' }, problem?: string): string {
  const facts = [
    segment.label,
    typeof segment.mimeType === 'string' ? segment.mimeType.slice(0, 100) : 'data',
    typeof segment.data === 'string' ? readableSize(byteLength(segment.data)) : '',
    problem === undefined ? '' : `not shown: ${problem}`,
  ];
  return `[${facts.filter((fact) => fact !== '').join(', ')}]`;
}

/** Room that a note of a cut needs. */
const NOTE_ROOM = 120;

/** Collects parts until the room for text is used up, and says so at the end. */
class Page {
  readonly #parts: RenderedPart[] = [];
  readonly #max: number;
  #used = 0;
  #total = 0;
  #overflows = false;

  constructor(max: number) {
    this.#max = max;
  }

  write(text: string): void {
    this.#total += text.length;
    const room = Math.max(0, this.#max - this.#used);
    if (room === 0) {
      this.#overflows = true;
      return;
    }
    const clean = sanitizeText(text, { maxLength: room, multiline: true });
    if (text.length > room && clean.endsWith('…')) this.#overflows = true;
    // Some model APIs refuse texts of nothing but white space.
    if (clean.trim() === '') return;
    const last = this.#parts.at(-1);
    this.#used += clean.length + 1;
    if (last?.type === 'text') this.#parts[this.#parts.length - 1] = joined(last, clean);
    else this.#parts.push({ type: 'text', text: clean });
  }

  place(part: RenderedPart): void {
    this.#parts.push(part);
  }

  finish(): readonly RenderedPart[] {
    if (!this.#overflows) return this.#parts;
    return this.#cut(Math.max(0, this.#max - NOTE_ROOM));
  }

  #cut(room: number): readonly RenderedPart[] {
    const kept: RenderedPart[] = [];
    let left = room;
    for (const part of this.#parts) {
      if (part.type !== 'text') {
        kept.push(part);
        continue;
      }
      if (left <= 0) continue;
      const text = truncateText(part.text, left);
      kept.push({ type: 'text', text });
      left -= text.length + 1;
    }
    const note = `[Cut: ${room} of ${this.#total} characters are shown. Ask for less to see the rest.]`;
    return [...kept, { type: 'text', text: note.slice(0, this.#max) }];
  }
}

function joined(part: { readonly text: string }, text: string): RenderedPart {
  return { type: 'text', text: `${part.text}\n${text}` };
}
