import { createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { array, assert, constantFrom, integer, oneof, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(chunks: readonly Uint8Array[], maxBytes = 1000): Line[] {
  const lines: Line[] = [];
  const reader = createLineReader({ maxBytes, onLine: (line) => void lines.push(line) });
  for (const chunk of chunks) reader.push(chunk);
  return lines;
}

const text = (...lines: string[]): Line[] => lines.map((line) => ({ kind: 'text', text: line }));

/** A line, or that it was refused; how much of its beginning was at hand to be shown depends on the chunks. */
const verdict = (line: Line): unknown => (line.kind === 'text' ? line : line.kind);

describe('createLineReader, hostile input', () => {
  const piece = oneof(
    uint8Array({ maxLength: 6 }),
    constantFrom('\n', '\r\n', '\r', '\ufeff', '\u2028', '中', '😀', '{}', '').map(bytes),
    constantFrom(0xc3, 0xed, 0xff, 0x80).map((byte) => Uint8Array.of(byte)),
  );

  it('any bytes give the same lines and refusals however they are cut, also where a line is too long', () => {
    assert(
      property(
        array(piece, { maxLength: 60 }),
        array(integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 9 }),
        integer({ min: 0, max: 20 }),
        (pieces, sizes, maxBytes) => {
          const all = Buffer.concat(pieces);
          const cut: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < all.length; turn++) {
            const size = sizes[turn % sizes.length]!;
            cut.push(all.subarray(at, at + size));
            at += size;
          }
          expect(read(cut, maxBytes).map(verdict)).toEqual(read([all], maxBytes).map(verdict));
        },
      ),
      { numRuns: rounds(3000) },
    );
  });

  it('a byte order mark that arrives byte by byte does not count against the limit', () => {
    const bom = [0xef, 0xbb, 0xbf].map((byte) => Uint8Array.of(byte));
    for (const maxBytes of [0, 1, 2]) {
      expect(read([...bom, bytes('x'.repeat(maxBytes)), bytes('\n')], maxBytes)).toEqual(
        text('x'.repeat(maxBytes)),
      );
    }
  });

  it('the text is what was sent: never U+FFFD in place of invalid bytes', () => {
    assert(
      property(uint8Array({ maxLength: 40 }), (random) => {
        const all = Buffer.concat([random.filter((byte) => byte !== 10 && byte !== 13), Buffer.from('\n')]);
        for (const line of read([all])) {
          if (line.kind !== 'text') continue;
          const body = all.subarray(0, -1);
          const bom = body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
          expect(Buffer.from(line.text).equals(body.subarray(bom))).toBe(true);
        }
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('a character that is split between chunks is whole', () => {
    const all = bytes('{"a":"größe 中文 😀"}\n');
    for (let at = 1; at < all.length; at++) {
      expect(read([all.subarray(0, at), all.subarray(at)])).toEqual(text('{"a":"größe 中文 😀"}'));
    }
  });

  it('half a surrogate pair in UTF-8 is refused, the next line is read', () => {
    const lone = Uint8Array.of(0x22, 0xed, 0xa0, 0xbd, 0x22, 0x0a);
    expect(read([lone, bytes('{}\n')]).map(({ kind }) => kind)).toEqual(['not-utf8', 'text']);
  });

  it('overlong forms and bytes beyond Unicode are refused', () => {
    for (const broken of [[0xc0, 0xaf], [0xe0, 0x80, 0x8a], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xc3]]) {
      expect(read([Uint8Array.of(...broken, 10)])).toMatchObject([{ kind: 'not-utf8' }]);
    }
  });

  it('CRLF and LF end a line, a lone CR does not', () => {
    expect(read([bytes('a\r\nb\nc\rd\r\n\r\n')])).toEqual(text('a', 'b', 'c\rd', ''));
  });

  it('U+2028, U+2029, U+0085, VT and FF do not end a line', () => {
    const line = '{"a":"1\u20282\u20293\u00854\u000b5\u000c6"}';
    expect(read([bytes(`${line}\n`)])).toEqual(text(line));
  });

  it('applies the limit to the byte, for every line end', () => {
    for (const end of ['\n', '\r\n']) {
      expect(read([bytes(`${'x'.repeat(10)}${end}`)], 10)).toEqual(text('x'.repeat(10)));
      expect(read([bytes(`${'x'.repeat(11)}${end}`)], 10)).toMatchObject([{ kind: 'oversized', bytes: 11 }]);
    }
  });

  it('a byte order mark before a line is dropped, also after one that was refused', () => {
    for (const size of [1, 100]) {
      const chunks = bytes(`${'x'.repeat(30)}\n\ufeff{}\n`);
      const cut: Uint8Array[] = [];
      for (let at = 0; at < chunks.length; at += size) cut.push(chunks.subarray(at, at + size));
      expect(read(cut, 10).map(verdict)).toEqual(['oversized', { kind: 'text', text: '{}' }]);
    }
  });

  it('returns nothing for an unfinished line, and counts its bytes', () => {
    const lines: Line[] = [];
    const reader = createLineReader({ maxBytes: 100, onLine: (line) => void lines.push(line) });
    reader.push(bytes('abc'));
    expect([lines, reader.pending]).toEqual([[], 3]);
    reader.push(bytes('\n'));
    expect([lines, reader.pending]).toEqual([text('abc'), 0]);
  });
});
