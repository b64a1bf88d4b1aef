import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isPair } from './cut-text.js';
import { unknownResult } from './spill-error.js';
import type { SpillStore } from './spill-store.js';

/** A piece of the text that is encoded and read at once. */
interface Block {
  /** UTF-16 units of the text before it. */
  readonly characters: number;
  /** Bytes of the text before it. */
  readonly bytes: number;
  /** Line feeds in the text before it. */
  readonly lines: number;
}

/** An image or audio of a result. */
export interface RecordItem {
  readonly type: 'image' | 'audio';
  readonly mimeType: string;
  readonly bytes: number;
}

/** What the beginning of a record says about the rest. */
export interface RecordIndex {
  readonly characters: number;
  readonly lines: number;
  readonly isError: boolean;
  readonly blocks: readonly Block[];
  readonly items: readonly RecordItem[];
}

/** UTF-16 units of a block. */
const BLOCK_LENGTH = 65_536;
/** The length of the index, as a number of four bytes. */
const LENGTH_BYTES = 4;
/** Enough for the index of a text of four million characters, so that one read is usual. */
const FIRST_READ = 4_096;
const MAX_INDEX_BYTES = 16_000_000;

/**
 * Writes a result as bytes: the length of an index, the index as JSON, the text in UTF-8, the items. With the index, any part of
 * the text is read without the rest.
 */
export class RecordWriter {
  readonly #blocks: Block[] = [];
  readonly #chunks: Uint8Array[] = [];
  readonly #items: { readonly item: RecordItem; readonly data: Uint8Array }[] = [];
  readonly #maxBytes: number;
  #open = '';
  #characters = 0;
  #textBytes = 0;
  #itemBytes = 0;
  #lines = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** UTF-16 units so far. */
  get characters(): number {
    return this.#characters + this.#open.length;
  }

  get itemCount(): number {
    return this.#items.length;
  }

  /** Adds text without lone surrogates. Throws `SPILL_FAILED` if the record becomes too large. */
  addText(text: string): void {
    this.#open += text;
    while (this.#open.length >= BLOCK_LENGTH) {
      const end = isPair(this.#open, BLOCK_LENGTH) ? BLOCK_LENGTH - 1 : BLOCK_LENGTH;
      this.#addBlock(this.#open.slice(0, end));
      this.#open = this.#open.slice(end);
    }
  }

  addItem(item: RecordItem, data: Uint8Array): void {
    this.#itemBytes += data.length;
    this.#checkSize();
    this.#items.push({ item, data });
  }

  /** Returns the record and its index. */
  finish(isError: boolean): { readonly index: RecordIndex; readonly chunks: readonly Uint8Array[] } {
    if (this.#open !== '') this.#addBlock(this.#open);
    this.#open = '';
    const index: RecordIndex = {
      characters: this.#characters,
      lines: this.#lines + 1,
      isError,
      blocks: [...this.#blocks, { characters: this.#characters, bytes: this.#textBytes, lines: this.#lines }],
      items: this.#items.map(({ item }) => item),
    };
    const json = Buffer.from(JSON.stringify(index));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(json.length);
    return {
      index,
      chunks: [Buffer.concat([length, json]), ...this.#chunks, ...this.#items.map(({ data }) => data)],
    };
  }

  #addBlock(text: string): void {
    const data = Buffer.from(text);
    this.#blocks.push({ characters: this.#characters, bytes: this.#textBytes, lines: this.#lines });
    this.#chunks.push(data);
    this.#characters += text.length;
    this.#textBytes += data.length;
    this.#lines += lineFeeds(text);
    this.#checkSize();
  }

  #checkSize(): void {
    if (this.#textBytes + this.#itemBytes <= this.#maxBytes) return;
    throw new FittingsError('SPILL_FAILED', `The result is larger than ${this.#maxBytes} bytes.`, {
      hint: 'Increase maxResultBytes of createSpill().',
      retryable: false,
    });
  }
}

/** Reads a record of a store. */
export class RecordReader {
  readonly index: RecordIndex;
  readonly #store: SpillStore;
  readonly #key: string;
  readonly #textStart: number;

  /** Resolves with undefined if the store has no such record. Rejects with `SPILL_FAILED` if it is not readable. */
  static async open(store: SpillStore, key: string): Promise<RecordReader | undefined> {
    const first = await store.get(key, 0, FIRST_READ);
    if (first === undefined) return undefined;
    if (first.length < LENGTH_BYTES) throw damaged();
    const length = Buffer.from(first.buffer, first.byteOffset, first.length).readUInt32LE();
    if (length > MAX_INDEX_BYTES) throw damaged();
    const end = LENGTH_BYTES + length;
    const whole = end <= first.length ? first : await store.get(key, 0, end);
    if (whole === undefined) return undefined;
    return new RecordReader(store, key, parseIndex(whole.subarray(LENGTH_BYTES, end)), end);
  }

  private constructor(store: SpillStore, key: string, index: RecordIndex, textStart: number) {
    this.#store = store;
    this.#key = key;
    this.index = index;
    this.#textStart = textStart;
  }

  /** Resolves with a part of the text. Rejects if the record is gone. */
  async text(start: number, end: number): Promise<string> {
    if (start >= end) return '';
    const { blocks } = this.index;
    const first = blocks[this.#blockAt(start)];
    const after = blocks.find(({ characters }) => characters >= end) ?? blocks.at(-1);
    if (first === undefined || after === undefined) return '';
    const bytes = await this.#bytes(first.bytes, after.bytes);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    return text.slice(start - first.characters, end - first.characters);
  }

  /** Resolves with the data of an item. */
  item(number: number): Promise<Uint8Array> {
    const { items, blocks } = this.index;
    const before = items.slice(0, number).reduce((sum, { bytes }) => sum + bytes, blocks.at(-1)?.bytes ?? 0);
    return this.#bytes(before, before + (items[number]?.bytes ?? 0));
  }

  /** Iterates over the text in pieces, from `start` on. */
  async *pieces(start: number): AsyncGenerator<{ readonly text: string; readonly start: number }> {
    const { blocks, characters } = this.index;
    for (let at = start; at < characters;) {
      const end = blocks[this.#blockAt(at) + 1]?.characters ?? characters;
      if (end <= at) throw damaged();
      yield { text: await this.text(at, end), start: at };
      at = end;
    }
  }

  /** Resolves with the number of the line, from 1, that contains this character. */
  async lineAt(character: number): Promise<number> {
    const block = this.index.blocks[this.#blockAt(character)];
    if (block === undefined) return 1;
    return block.lines + lineFeeds(await this.text(block.characters, character)) + 1;
  }

  /** Resolves with the first character of a line. `line` is from 1. */
  async lineStart(line: number): Promise<number> {
    if (line <= 1) return 0;
    const { blocks, characters } = this.index;
    const next = blocks.findIndex(({ lines }) => lines >= line - 1);
    const block = blocks[next === -1 ? blocks.length - 1 : next - 1];
    if (block === undefined || next === -1) return characters;
    const text = await this.text(block.characters, blocks[next]?.characters ?? characters);
    let at = 0;
    for (let lines = block.lines; lines < line - 1; lines++) {
      at = text.indexOf('\n', at) + 1;
      if (at === 0) throw damaged();
    }
    return block.characters + at;
  }

  async #bytes(start: number, end: number): Promise<Uint8Array> {
    const bytes = await this.#store.get(this.#key, this.#textStart + start, this.#textStart + end);
    if (bytes === undefined) throw unknownResult();
    if (bytes.length !== end - start) throw damaged();
    return bytes;
  }

  /** Returns the index of the block that contains a character. */
  #blockAt(character: number): number {
    const { blocks } = this.index;
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((blocks[middle]?.characters ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function parseIndex(bytes: Uint8Array): RecordIndex {
  try {
    const index: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (isRecordIndex(index)) return index;
  } catch {
    // It is not JSON.
  }
  throw damaged();
}

/** The bytes are those that a store returns, which may be of another program. */
function isRecordIndex(value: unknown): value is RecordIndex {
  if (!isRecord(value)) return false;
  const { characters, lines, isError, blocks, items } = value;
  return (
    [characters, lines].every(isCount) &&
    typeof isError === 'boolean' &&
    Array.isArray(blocks) &&
    blocks.every((block) => isRecord(block) && BLOCK_MEMBERS.every((member) => isCount(block[member]))) &&
    Array.isArray(items) &&
    items.every(isRecordItem)
  );
}

const BLOCK_MEMBERS = ['characters', 'bytes', 'lines'] as const;

function isRecordItem(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { type, mimeType, bytes } = value;
  return (type === 'image' || type === 'audio') && typeof mimeType === 'string' && isCount(bytes);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function damaged(): FittingsError {
  return new FittingsError('SPILL_FAILED', 'A stored result is incomplete or damaged.', {
    hint: 'Call the tool again.',
    retryable: false,
  });
}
