import type { StoredValue } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { parseValue } from '@mcp-fittings/toolbox/stores';
import { hashText } from '@mcp-fittings/toolbox/text';
import type { KeychainItems } from './keychain-items.js';

/**
 * Reason why an entry could not be read. `header-malformed`: its first item was not written by this package. `chunk-missing`: an item of a
 * long value is missing. `chunk-foreign`: the items belong to different versions. `entry-malformed`: an entry of the bundled item is not
 * valid.
 */
export type CorruptEntryReason = 'header-malformed' | 'chunk-missing' | 'chunk-foreign' | 'entry-malformed';

export interface DocumentsOptions {
  readonly items: KeychainItems;
  /** Longest item; a longer document is split into chunks. */
  readonly chunkCharacters: number;
  readonly onCorrupt: (name: string, reason: CorruptEntryReason) => void;
}

/** Called before each change of an item. When it rejects, the write stops and the old version stays valid. */
export type Guard = () => Promise<void>;

/**
 * JSON objects of any size in items of limited size, each replaced completely or not at all. The caller ensures that a
 * document has one reader or writer at a time.
 */
export interface Documents {
  read(name: string): Promise<StoredValue | undefined>;
  /** `json` is ASCII. */
  write(name: string, json: string, guard: Guard): Promise<void>;
  remove(name: string, guard: Guard): Promise<void>;
}

export function createDocuments({ items, chunkCharacters, onCorrupt }: DocumentsOptions): Documents {
  const readChunks = async (name: string, header: ChunkHeader): Promise<StoredValue | CorruptEntryReason> => {
    const chunks: string[] = [];
    for (let index = 0; index < header.chunks; index++) {
      const chunk = await items.get(chunkAccount(name, header.slot, index));
      if (chunk === null) return 'chunk-missing';
      chunks.push(chunk);
    }
    const json = chunks.join('');
    if (checksum(name, json) !== header.sum) return 'chunk-foreign';
    return parseValue(json) ?? 'header-malformed';
  };

  /**
   * Deletes the chunks from this index on: those of an older version, and what an interrupted write left behind. The last one
   * first, so that an interruption leaves the first ones without a gap, and the next sweep finds them.
   */
  const sweep = async (
    name: string,
    slot: 0 | 1,
    from: number,
    guard: Guard,
    known = from,
  ): Promise<void> => {
    let end = known;
    while ((await items.peek(chunkAccount(name, slot, end))) !== null) end++;
    for (let index = end - 1; index >= from; index--) {
      await guard();
      await items.delete(chunkAccount(name, slot, index));
    }
  };

  return {
    async read(name) {
      const text = await items.get(headerAccount(name));
      if (text === null) return undefined;
      const header = parseHeader(text);
      if (header?.kind === 'inline') return header.value;
      const found = header === undefined ? 'header-malformed' : await readChunks(name, header);
      if (typeof found !== 'string') return found;
      onCorrupt(name, found);
      return undefined;
    },

    async write(name, json, guard) {
      // A driver that cannot see the item cannot write it either.
      const oldHeader = await items.peek(headerAccount(name));
      const old = oldHeader === null ? undefined : parseHeader(oldHeader);
      const slot = old?.kind === 'chunked' && old.slot === 0 ? 1 : 0;
      let header = `{"v":1,"value":${json}}`;
      let chunks = 0;
      if (header.length > chunkCharacters) {
        for (let at = 0; at < json.length; at += chunkCharacters, chunks++) {
          await guard();
          await items.set(chunkAccount(name, slot, chunks), json.slice(at, at + chunkCharacters));
        }
        header = JSON.stringify({ v: 1, slot, chunks, sum: checksum(name, json) });
      }
      await guard();
      await items.set(headerAccount(name), header);
      const nothingLeft = chunks === 0 && (oldHeader === null || old?.kind === 'inline');
      if (nothingLeft) return;
      // The new version is valid now. If the rest of older ones cannot be deleted, the next write does it.
      const oldChunks = old?.kind === 'chunked' ? old.chunks : 0;
      await sweep(name, slot, chunks, guard).catch(() => undefined);
      await sweep(name, slot === 0 ? 1 : 0, 0, guard, oldChunks).catch(() => undefined);
    },

    async remove(name, guard) {
      await guard();
      if (!(await items.delete(headerAccount(name)))) await items.assertReachable();
      await sweep(name, 0, 0, guard);
      await sweep(name, 1, 0, guard);
    },
  };
}

function headerAccount(name: string): string {
  return `v1:${name}`;
}

function chunkAccount(name: string, slot: 0 | 1, index: number): string {
  return `v1:${name}#${slot}#${index}`;
}

/** Binds the chunks to their document and version: chunks of another one have another checksum. */
function checksum(name: string, json: string): string {
  return hashText(JSON.stringify([name, json]));
}

interface ChunkHeader {
  readonly kind: 'chunked';
  /** A new version uses the slot that the old version does not use. */
  readonly slot: 0 | 1;
  readonly chunks: number;
  /** Checksum of the joined chunks. */
  readonly sum: string;
}

const MAX_CHUNKS = 10_000;

/** Parses the first item of a document: it holds the document itself, or describes the chunks that do. Undefined for any other text. */
function parseHeader(
  text: string,
): { readonly kind: 'inline'; readonly value: StoredValue } | ChunkHeader | undefined {
  const { v, value, slot, chunks, sum } = parseValue(text) ?? {};
  if (v !== 1) return undefined;
  if (isRecord(value)) return { kind: 'inline', value };
  if ((slot !== 0 && slot !== 1) || typeof sum !== 'string') return undefined;
  if (typeof chunks !== 'number' || !Number.isInteger(chunks) || chunks < 1 || chunks > MAX_CHUNKS)
    return undefined;
  return { kind: 'chunked', slot, chunks, sum };
}
