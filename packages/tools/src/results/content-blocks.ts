import { isRecord } from '@mcp-fittings/client-core';
import type { ToolResult } from '@mcp-fittings/host';
import { plainCopy } from '../json/copy-json.js';
import { boundedJson } from '../json/bounded-json.js';

/** A piece of a result before it is shown: words, or data with what is said of it. Nothing in it is checked. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly data: unknown; readonly mimeType: unknown; readonly label: string };

/** The pieces of a result in their order. Blocks of a kind that we don't know are mentioned, not shown. */
export function segmentsOf(result: ToolResult, maxCharacters: number): readonly Segment[] {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const segments = blocks.map(segmentOf);
  const { structuredContent } = result;
  if (structuredContent !== undefined && !isRepeated(structuredContent, segments)) {
    segments.push(words(boundedJson(structuredContent, maxCharacters)));
  }
  return segments;
}

function segmentOf(block: unknown): Segment {
  if (!isRecord(block)) return words('[content that is malformed]');
  switch (block['type']) {
    case 'text':
      return words(textOf(block['text']));
    case 'image':
    case 'audio':
      return { kind: 'media', data: block['data'], mimeType: block['mimeType'], label: '' };
    case 'resource':
      return resourceSegment(block['resource']);
    case 'resource_link':
      return words(linkText(block));
    case 'unknown':
      // A block that the host could not read: its own type says what it was meant to be.
      return words(`[content of the unknown type ${textOf(block['declaredType']).slice(0, 60)}]`);
    default:
      return words(`[content of the unknown type ${textOf(block['type']).slice(0, 60)}]`);
  }
}

function resourceSegment(resource: unknown): Segment {
  if (!isRecord(resource)) return words('[resource that is malformed]');
  const label = textOf(resource['uri']).slice(0, LONGEST_LABEL);
  const { text, blob, mimeType } = resource;
  if (typeof text === 'string') {
    const type = typeof mimeType === 'string' ? `, ${mimeType.slice(0, 100)}` : '';
    return words(`[resource ${label}${type}]\n${text}`);
  }
  return { kind: 'media', data: blob, mimeType, label };
}

/** A link is told, never followed. */
function linkText(block: Record<string, unknown>): string {
  const [name, uri, mimeType, description] = ['name', 'uri', 'mimeType', 'description'].map((key) =>
    textOf(block[key]).slice(0, LONGEST_LABEL),
  );
  const type = mimeType === '' ? '' : `, ${mimeType}`;
  return `[link to ${name}: ${uri}${type}]${description === '' ? '' : ` ${description}`}`;
}

const LONGEST_LABEL = 2_000;

const words = (text: string): Segment => ({ kind: 'text', text });
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const SAME_LIMITS = { maxDepth: 64, maxNodes: 50_000, maxCharacters: 1_000_000 };

/** Servers repeat structured content as text, for clients that know nothing else; often without its only member's name. */
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
  const copy = plainCopy(value, SAME_LIMITS);
  return value === undefined || copy.problem !== undefined ? undefined : JSON.stringify(copy.value);
}

function parsed(text: string): unknown {
  if (text.length > SAME_LIMITS.maxCharacters) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
