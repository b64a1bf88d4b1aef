import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** A whole result as it is kept. */
export interface StoredResult {
  /** Sanitized when it was kept. A store may be written by others. */
  readonly text: string;
  /** Its images and audio. */
  readonly items: readonly { readonly type: string; readonly mimeType: string; readonly data: Uint8Array }[];
}

/** The length of the index, as a number of four bytes. */
const LENGTH_BYTES = 4;

/**
 * Writes a result as bytes: the length of an index, the index as JSON, the text in UTF-8, the items.
 * @param content The text in UTF-8.
 */
export function encodeResult(content: readonly Uint8Array[], items: StoredResult['items']): Uint8Array {
  const index = {
    text: content.reduce((sum, { length }) => sum + length, 0),
    items: items.map(({ type, mimeType, data }) => ({ type, mimeType, bytes: data.length })),
  };
  const json = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, ...content, ...items.map(({ data }) => data)]);
}

/** Reads what {@link encodeResult} wrote. Throws `SPILL_FAILED` if the bytes are other ones. */
export function decodeResult(bytes: Uint8Array): StoredResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = buffer.length < LENGTH_BYTES ? buffer.length : LENGTH_BYTES + buffer.readUInt32LE();
  const index = parseIndex(buffer.toString('utf8', LENGTH_BYTES, at));
  if (index === undefined) throw damaged();
  const text = buffer.toString('utf8', at, (at += index.text));
  const items = index.items.map(({ type, mimeType, bytes: length }) => ({
    type,
    mimeType,
    data: buffer.subarray(at, (at += length)),
  }));
  if (at !== buffer.length) throw damaged();
  return { text, items };
}

interface Index {
  readonly text: number;
  readonly items: readonly { readonly type: string; readonly mimeType: string; readonly bytes: number }[];
}

function parseIndex(json: string): Index | undefined {
  try {
    const index: unknown = JSON.parse(json);
    return isIndex(index) ? index : undefined;
  } catch {
    return undefined;
  }
}

function isIndex(value: unknown): value is Index {
  if (!isRecord(value) || !isCount(value['text']) || !Array.isArray(value['items'])) return false;
  return value['items'].every(
    (item) =>
      isRecord(item) &&
      typeof item['type'] === 'string' &&
      typeof item['mimeType'] === 'string' &&
      isCount(item['bytes']),
  );
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function damaged(): FittingsError {
  return new FittingsError('SPILL_FAILED', 'A stored result is incomplete or damaged.', {
    hint: 'Call the tool again.',
    retryable: false,
  });
}
