import { isRecord } from '@mcp-fittings/toolbox/messages';
import { parseValue } from '@mcp-fittings/toolbox/stores';

/** The first item of a document: it holds the document itself, or describes the chunks that do. */
export type DocumentHeader = InlineHeader | ChunkHeader;

interface InlineHeader {
  readonly kind: 'inline';
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ChunkHeader {
  readonly kind: 'chunked';
  /** A new version uses the slot that the old version does not use. */
  readonly slot: 0 | 1;
  readonly chunks: number;
  /** Checksum of the joined chunks: see `checksum` in documents.ts. */
  readonly sum: string;
}

const MAX_CHUNKS = 10_000;

/** Serializes a header with the document in it. */
export function serializeInlineHeader(json: string): string {
  return `{"v":1,"value":${json}}`;
}

export function serializeChunkHeader({ slot, chunks, sum }: Omit<ChunkHeader, 'kind'>): string {
  return JSON.stringify({ v: 1, slot, chunks, sum });
}

/** Returns undefined when the text is not a header. */
export function parseHeader(text: string): DocumentHeader | undefined {
  const { v, value, slot, chunks, sum } = parseValue(text) ?? {};
  if (v !== 1) return undefined;
  if (isRecord(value)) return { kind: 'inline', value };
  if ((slot !== 0 && slot !== 1) || typeof sum !== 'string') return undefined;
  if (typeof chunks !== 'number' || !Number.isInteger(chunks) || chunks < 1 || chunks > MAX_CHUNKS)
    return undefined;
  return { kind: 'chunked', slot, chunks, sum };
}
