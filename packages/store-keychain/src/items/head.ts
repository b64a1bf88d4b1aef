import { isRecord } from '@mcp-fittings/client-core';
import { parseValue } from '@mcp-fittings/store-file/toolkit';

/** The item that stands for a document: it holds the whole of it, or says where its parts are. */
export type Head = WholeHead | ChunkedHead;

export interface WholeHead {
  readonly kind: 'whole';
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ChunkedHead {
  readonly kind: 'chunked';
  /** The parts of a new version go where those of the old one are not. */
  readonly slot: 0 | 1;
  readonly chunks: number;
  /** Of the joined parts: see `sumOf` in documents.ts. */
  readonly sum: string;
}

const MAX_CHUNKS = 10_000;

/** `json` is the document. */
export function wholeHeadText(json: string): string {
  return `{"v":1,"value":${json}}`;
}

export function chunkedHeadText({ slot, chunks, sum }: Omit<ChunkedHead, 'kind'>): string {
  return JSON.stringify({ v: 1, slot, chunks, sum });
}

/** Undefined: it is no head. */
export function parseHead(text: string): Head | undefined {
  const { v, value, slot, chunks, sum } = parseValue(text) ?? {};
  if (v !== 1) return undefined;
  if (isRecord(value)) return { kind: 'whole', value };
  if ((slot !== 0 && slot !== 1) || typeof sum !== 'string') return undefined;
  if (typeof chunks !== 'number' || !Number.isInteger(chunks) || chunks < 1 || chunks > MAX_CHUNKS)
    return undefined;
  return { kind: 'chunked', slot, chunks, sum };
}
