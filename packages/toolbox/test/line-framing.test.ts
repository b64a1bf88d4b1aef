import { createByteCollector, createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { array, assert, integer, property, string, uint8Array } from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const encoder = new TextEncoder();

interface Read {
  readonly lines: Line[];
  readonly skipped: string[];
  readonly discards: { bytes: number; head: string }[];
}

function read(
  chunks: Iterable<Uint8Array>,
  options: { maxBytes?: number; accepts?: (byte: number) => boolean } = {},
): Read {
  const { maxBytes = 1000, accepts } = options;
  const result: Read = { lines: [], skipped: [], discards: [] };
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => result.lines.push(line),
    onDiscard: (bytes, head) => result.discards.push({ bytes, head }),
    accepts,
    onSkip: (head) => result.skipped.push(head()),
  });
  for (const chunk of chunks) reader.push(chunk);
  return result;
}

function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const texts = (lines: readonly Line[]): string[] =>
  lines.map((line) => (line.kind === 'text' ? line.text : line.kind));

describe('createLineReader', () => {
  it('returns the same lines however the bytes are split', () => {
    const line = string({ unit: 'grapheme', maxLength: 30 }).map((text) =>
      text.replaceAll(/[\n\r\ufeff]/g, ''),
    );
    assert(
      property(array(line), integer({ min: 1, max: 20 }), (lines, size) => {
        const bytes = encoder.encode(lines.map((text) => `${text}\n`).join(''));
        expect(texts(read(inPieces(bytes, size)).lines)).toEqual(lines);
      }),
    );
  });

  it('rejects a line that is too long, shows its ends, and reads on', () => {
    const bytes = encoder.encode(`{"id":7,${'x'.repeat(2000)},"end":1}\n{}\n`);
    for (const size of [1, 100, 5000]) {
      const { lines } = read(inPieces(bytes, size));
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatchObject({ kind: 'oversized', bytes: 2017 });
      expect(lines[0]).toHaveProperty('head', expect.stringMatching(/^\{"id":7,x/));
      expect(lines[0]).toHaveProperty('tail', expect.stringMatching(/^x{247},"end":1\}$/));
      expect(lines[1]).toEqual({ kind: 'text', text: '{}' });
    }
  });

  it('reports an endless line from the moment it is too long, with its beginning', () => {
    const { discards } = read(inPieces(encoder.encode(`abc${'y'.repeat(3000)}`), 500));
    expect(discards.map(({ bytes }) => bytes)).toEqual([1500, 2000, 2500, 3000, 3003]);
    expect(discards[0]?.head).toMatch(/^abcy{253}$/);
  });

  it('shows the ends of a line that is not UTF-8', () => {
    const bytes = Uint8Array.of(...encoder.encode('{"id":1,"'), 0xed, 0xa0, 0x80, ...encoder.encode('"}\n'));
    expect(read([bytes]).lines).toMatchObject([
      { kind: 'not-utf8', head: expect.stringContaining('"id":1') },
    ]);
  });

  it('skips lines that are declined by their first byte, and empty ones', () => {
    const bytes = encoder.encode('log line\n\n\r\n{"a":1}\nWARN {"b":2}\n');
    for (const size of [1, 3, 100]) {
      const { lines, skipped } = read(inPieces(bytes, size), { accepts: (byte) => byte === 0x7b });
      expect(texts(lines)).toEqual(['{"a":1}']);
      expect(skipped.map((head) => head.trim())).toEqual(['log line', '', '', 'WARN {"b":2}']);
    }
  });

  it('drops a byte order mark before each line, declined or not, however the bytes are split', () => {
    const bytes = encoder.encode(
      '\ufeff{"a":1}\n\ufefflog\n\ufeff\n\ufeff{"b":"\ufeff"}\r\n\ufeff\ufeff{}\n',
    );
    for (const size of [1, 2, 3, 4, 10, 100]) {
      const { lines, skipped } = read(inPieces(bytes, size), { accepts: (byte) => byte === 0x7b });
      expect(texts(lines)).toEqual(['{"a":1}', '{"b":"\ufeff"}']);
      expect(skipped).toHaveLength(3);
      expect(texts(read(inPieces(bytes, size)).lines)).toEqual([
        '{"a":1}',
        'log',
        '',
        '{"b":"\ufeff"}',
        '\ufeff{}',
      ]);
    }
  });
});

describe('createByteCollector', () => {
  it('returns what was added, however small the parts', () => {
    assert(
      property(array(uint8Array({ maxLength: 9000 }), { maxLength: 60 }), (added) => {
        const parts = createByteCollector();
        for (const part of added) parts.add(part);
        const all = Buffer.concat(added);
        expect(parts.size).toBe(all.length);
        expect(Buffer.from(parts.head(100)).equals(all.subarray(0, 100))).toBe(true);
        expect(Buffer.from(parts.tail(100)).equals(all.subarray(-100))).toBe(true);
        expect(Buffer.from(parts.take(Uint8Array.of(1))).equals(Buffer.concat([all, Uint8Array.of(1)]))).toBe(
          true,
        );
        expect(parts.size).toBe(0);
      }),
    );
  });

  it('keeps single bytes in little memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const parts = createByteCollector();
    const count = 500_000;
    const before = used();
    // Each a buffer of its own, as a stream gives them.
    for (let index = 0; index < count; index++) parts.add(new Uint8Array([index % 256]));
    expect(used() - before).toBeLessThan(count * 16);
    expect(parts.take(new Uint8Array(0))).toHaveLength(count);
  });
});
