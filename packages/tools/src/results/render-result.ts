import type { FittingsError } from '@mcp-fittings/client-core';
import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';
import { sanitizeText, truncateText } from '@mcp-fittings/toolbox/text';
import type { ToolResult } from '@mcp-fittings/host';
import { boundedJson } from '../json/bounded-json.js';
import { copyJson } from '../json/copy-json.js';
import { byteLength, checkMedia, readableSize } from './media.js';
import type { RenderedPart, Rendering, RenderOptions } from './rendering.js';

export const DEFAULT_RENDERING = { maxCharacters: 100_000, maxMediaBytes: 5_000_000, maxMedia: 20 };

/**
 * Renders a result for a model. Images and audio whose data match their MIME type stay separate parts; everything else
 * becomes text. Links are not fetched. The events of a call have a rendering already.
 * @example
 * ```ts
 * const { text, parts, isError } = renderForModel(await host.callTool({ server: 'demo', tool: 'echo' }, { message: 'hi' }));
 * ```
 */
export function renderForModel(result: ToolResult, options: RenderOptions = {}): Rendering {
  return renderingOf(render(result, options, true), result.isError === true);
}

/**
 * Renders a result as text for a terminal, without control sequences. Images and audio are described. The text of
 * a failed tool begins with "The tool failed:".
 * @example
 * ```ts
 * console.log(renderForTerminal(await host.callTool({ server: 'demo', tool: 'echo' }, { message: 'hi' })));
 * ```
 */
export function renderForTerminal(result: ToolResult, options: RenderOptions = {}): string {
  const { text } = renderingOf(render(result, options, false), false);
  return result.isError === true ? `The tool failed: ${text}` : text;
}

/**
 * Renders an error for a model: its message and its hint. The events of a failed call have a rendering already.
 * @example
 * ```ts
 * const { text } = renderError(error); // … The server "demo" did not answer in time. …
 * ```
 */
export function renderError(error: FittingsError): Rendering {
  const text = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return renderingOf(
    [{ type: 'text', text: sanitizeText(text, { maxLength: 4_000, multiline: true }) }],
    true,
  );
}

/** Returns a rendering of parts that are ready for a model. */
export function renderingOf(parts: readonly RenderedPart[], isError: boolean): Rendering {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { parts, text, isError };
}

function render(result: ToolResult, options: RenderOptions, withMedia: boolean): readonly RenderedPart[] {
  const { maxCharacters = DEFAULT_RENDERING.maxCharacters, maxMediaBytes = DEFAULT_RENDERING.maxMediaBytes } =
    options;
  const collector = new PartCollector(maxCharacters);
  let mediaLeft = options.maxMedia ?? DEFAULT_RENDERING.maxMedia;
  for (const segment of readContent(result, maxCharacters)) {
    if (segment.kind === 'text') {
      collector.addText(segment.text);
      continue;
    }
    if (!withMedia) {
      collector.addText(describeMedia(segment));
      continue;
    }
    const check = checkMedia(segment.data, segment.mimeType, maxMediaBytes);
    if (check.problem !== undefined) collector.addText(describeMedia(segment, check.problem));
    else if (mediaLeft-- > 0) collector.addMedia(check.part);
    else collector.addText(describeMedia(segment, 'the result has too many media'));
  }
  return collector.finish();
}

/** Describes an image, audio or file that is not shown. */
export function describeMedia(segment: Segment & { kind: 'media' }, problem?: string): string {
  const details = [
    segment.label,
    typeof segment.mimeType === 'string' ? segment.mimeType.slice(0, 100) : 'data',
    typeof segment.data === 'string' ? readableSize(byteLength(segment.data)) : '',
    problem === undefined ? '' : `not shown: ${problem}`,
  ];
  return `[${details.filter((detail) => detail !== '').join(', ')}]`;
}

/** Characters reserved for the note about truncation. */
const NOTE_LENGTH = 120;

/** Collects parts until the maximum of text is reached, and adds a note if text is missing. */
class PartCollector {
  readonly #parts: RenderedPart[] = [];
  readonly #max: number;
  #used = 0;
  #total = 0;
  #overflows = false;

  constructor(max: number) {
    this.#max = max;
  }

  addText(text: string): void {
    this.#total += text.length;
    const room = Math.max(0, this.#max - this.#used);
    if (room === 0) {
      this.#overflows = true;
      return;
    }
    const clean = sanitizeText(text, { maxLength: room, multiline: true });
    if (text.length > room && clean.endsWith('…')) this.#overflows = true;
    // Some model APIs reject text that is only white space.
    if (clean.trim() === '') return;
    const last = this.#parts.at(-1);
    this.#used += clean.length + 1;
    if (last?.type === 'text') this.#parts[this.#parts.length - 1] = joined(last, clean);
    else this.#parts.push({ type: 'text', text: clean });
  }

  addMedia(part: RenderedPart): void {
    this.#parts.push(part);
  }

  finish(): readonly RenderedPart[] {
    if (!this.#overflows) return this.#parts;
    return this.#truncate(Math.max(0, this.#max - NOTE_LENGTH));
  }

  #truncate(room: number): readonly RenderedPart[] {
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
    const note = `[Truncated: the first ${room} of ${this.#total} characters are shown. Request less data to see the rest.]`;
    return [...kept, { type: 'text', text: note.slice(0, this.#max) }];
  }
}

function joined(part: { readonly text: string }, text: string): RenderedPart {
  return { type: 'text', text: `${part.text}\n${text}` };
}

/** A piece of a result before rendering. Nothing in it is checked yet. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly data: unknown; readonly mimeType: unknown; readonly label: string };

/**
 * Reads the content blocks of a result in order, then the structured content unless a text block repeats it. A block of an
 * unknown type is described, not shown.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export function readContent(result: ToolResult, maxCharacters: number): readonly Segment[] {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const segments = blocks.map(readBlock);
  const { structuredContent } = result;
  if (structuredContent !== undefined && !isRepeated(structuredContent, segments)) {
    segments.push(textSegment(boundedJson(structuredContent, maxCharacters)));
  }
  return segments;
}

function readBlock(block: unknown): Segment {
  if (!isRecord(block)) return textSegment('[malformed content]');
  switch (block['type']) {
    case 'text':
      return textSegment(stringOf(block['text']));
    case 'image':
    case 'audio':
      return { kind: 'media', data: block['data'], mimeType: block['mimeType'], label: '' };
    case 'resource':
      return resourceSegment(block['resource']);
    case 'resource_link':
      return textSegment(linkText(block));
    case 'unknown':
      // A block that the host could not read; `declaredType` is the type that the server gave it.
      return textSegment(`[content of unknown type ${stringOf(block['declaredType']).slice(0, 60)}]`);
    default:
      return textSegment(`[content of unknown type ${stringOf(block['type']).slice(0, 60)}]`);
  }
}

function resourceSegment(resource: unknown): Segment {
  if (!isRecord(resource)) return textSegment('[malformed resource]');
  const label = stringOf(resource['uri']).slice(0, MAX_LABEL_LENGTH);
  const { text, blob, mimeType } = resource;
  if (typeof text === 'string') {
    const type = typeof mimeType === 'string' ? `, ${mimeType.slice(0, 100)}` : '';
    return textSegment(`[resource ${label}${type}]\n${text}`);
  }
  return { kind: 'media', data: blob, mimeType, label };
}

/** Describes a link. It is never followed. */
function linkText(block: Record<string, unknown>): string {
  const [name, uri, mimeType, description] = ['name', 'uri', 'mimeType', 'description'].map((key) =>
    stringOf(block[key]).slice(0, MAX_LABEL_LENGTH),
  );
  const type = mimeType === '' ? '' : `, ${mimeType}`;
  return `[link to ${name}: ${uri}${type}]${description === '' ? '' : ` ${description}`}`;
}

const MAX_LABEL_LENGTH = 2_000;

const textSegment = (text: string): Segment => ({ kind: 'text', text });
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const COMPARE_LIMITS = { maxDepth: 64, maxNodes: 50_000, maxCharacters: 1_000_000 };

/** Servers repeat structured content as text for older clients, often only the value of its single member. */
function isRepeated(value: unknown, segments: readonly Segment[]): boolean {
  const members = isRecord(value) ? Object.values(value) : [];
  const values = members.length === 1 ? [value, members[0]] : [value];
  const known = new Set(values.flatMap((each) => compactJson(each) ?? []));
  const only = members.length === 1 ? members[0] : undefined;
  return segments.some((segment) => {
    if (segment.kind !== 'text') return false;
    return segment.text === only || known.has(compactJson(parsed(segment.text)) ?? '');
  });
}

function compactJson(value: unknown): string | undefined {
  const copy = copyJson(value, COMPARE_LIMITS);
  return value === undefined || copy.problem !== undefined ? undefined : JSON.stringify(copy.value);
}

function parsed(text: string): unknown {
  return text.length > COMPARE_LIMITS.maxCharacters ? undefined : parseJson(text);
}
