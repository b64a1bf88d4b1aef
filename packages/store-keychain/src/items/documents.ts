import { createHash } from 'node:crypto';
import type { StoredValue } from '@mcp-fittings/client-core/auth';
import { parseValue } from '@mcp-fittings/store-file/toolkit';
import { chunkedHeadText, parseHead, wholeHeadText, type ChunkedHead } from './head.js';
import type { Vault } from './vault.js';

/** What an entry was found to be when it could not be read; it then counts as absent. */
export type Corruption = 'head-malformed' | 'chunk-missing' | 'chunk-foreign' | 'entry-malformed';

export interface DocumentsOptions {
  readonly vault: Vault;
  /** No item is longer; a longer document is cut into parts. */
  readonly chunkCharacters: number;
  readonly onCorrupt: (name: string, reason: Corruption) => void;
}

/** Called before each change of an item; rejects to stop there, with the old version still standing. */
export type Guard = () => Promise<void>;

/**
 * JSON objects of any size in items of limited size, each replaced as a whole or not at all. Whoever calls sees to it
 * that there is one reader or writer of a document at a time.
 */
export interface Documents {
  read(name: string): Promise<StoredValue | undefined>;
  /** `json` is ASCII. */
  write(name: string, json: string, guard: Guard): Promise<void>;
  remove(name: string, guard: Guard): Promise<void>;
}

export function createDocuments({ vault, chunkCharacters, onCorrupt }: DocumentsOptions): Documents {
  const readParts = async (name: string, head: ChunkedHead): Promise<StoredValue | Corruption> => {
    const parts: string[] = [];
    for (let index = 0; index < head.chunks; index++) {
      const part = await vault.get(chunkAccount(name, head.slot, index));
      if (part === null) return 'chunk-missing';
      parts.push(part);
    }
    const json = parts.join('');
    if (sumOf(name, json) !== head.sum) return 'chunk-foreign';
    return parseValue(json) ?? 'head-malformed';
  };

  /**
   * Deletes the parts from this one on: of an older version, and what an interrupted write may have left. The last one
   * first, so that those that are left when it is interrupted are the first ones, without a gap, and found again.
   */
  const sweep = async (
    name: string,
    slot: 0 | 1,
    from: number,
    guard: Guard,
    known = from,
  ): Promise<void> => {
    let end = known;
    while ((await vault.peek(chunkAccount(name, slot, end))) !== null) end++;
    for (let index = end - 1; index >= from; index--) {
      await guard();
      await vault.delete(chunkAccount(name, slot, index));
    }
  };

  return {
    async read(name) {
      const text = await vault.get(headAccount(name));
      if (text === null) return undefined;
      const head = parseHead(text);
      if (head?.kind === 'whole') return head.value;
      const found = head === undefined ? 'head-malformed' : await readParts(name, head);
      if (typeof found !== 'string') return found;
      onCorrupt(name, found);
      return undefined;
    },

    async write(name, json, guard) {
      // Where the driver can not see it, it can not write either.
      const oldHead = await vault.peek(headAccount(name));
      const old = oldHead === null ? undefined : parseHead(oldHead);
      const slot = old?.kind === 'chunked' && old.slot === 0 ? 1 : 0;
      let head = wholeHeadText(json);
      let chunks = 0;
      if (head.length > chunkCharacters) {
        for (let at = 0; at < json.length; at += chunkCharacters, chunks++) {
          await guard();
          await vault.set(chunkAccount(name, slot, chunks), json.slice(at, at + chunkCharacters));
        }
        head = chunkedHeadText({ slot, chunks, sum: sumOf(name, json) });
      }
      await guard();
      await vault.set(headAccount(name), head);
      const nothingLeft = chunks === 0 && (oldHead === null || old?.kind === 'whole');
      if (nothingLeft) return;
      // The new version stands. What is left of others is deleted by the next write if it can't be now.
      const oldChunks = old?.kind === 'chunked' ? old.chunks : 0;
      await sweep(name, slot, chunks, guard).catch(() => undefined);
      await sweep(name, slot === 0 ? 1 : 0, 0, guard, oldChunks).catch(() => undefined);
    },

    async remove(name, guard) {
      await guard();
      if (!(await vault.delete(headAccount(name)))) await vault.assertReachable();
      await sweep(name, 0, 0, guard);
      await sweep(name, 1, 0, guard);
    },
  };
}

function headAccount(name: string): string {
  return `v1:${name}`;
}

function chunkAccount(name: string, slot: 0 | 1, index: number): string {
  return `v1:${name}#${slot}#${index}`;
}

/** Binds the parts to their document and version: parts of another one have another sum. */
function sumOf(name: string, json: string): string {
  return createHash('sha256')
    .update(JSON.stringify([name, json]))
    .digest('base64url');
}
