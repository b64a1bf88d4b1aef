import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ToolResult } from '@mcp-fittings/host';
import { copyJson } from '../json/copy-json.js';
import { boundedJson } from '../json/bounded-json.js';

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
  if (text.length > COMPARE_LIMITS.maxCharacters) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
