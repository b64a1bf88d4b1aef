import { createByteCollector, createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { afterEach, describe, expect, it, vi } from 'vitest';

const MIB = 1024 * 1024;
const encoder = new TextEncoder();
// oxlint-disable-next-line typescript/unbound-method -- called with the decoder as `this` below
const { decode } = TextDecoder.prototype;

afterEach(() => vi.restoreAllMocks());

/** A line of about this many bytes, whose characters take one to four bytes. */
function longLine(bytes: number): string {
  return 'né€😀 '.repeat(Math.ceil(bytes / 11));
}

function read(text: string, maxBytes: number, onLine?: (line: Line) => void): Line[] {
  const lines: Line[] = [];
  const reader = createLineReader({
    maxBytes,
    onLine(line) {
      onLine?.(line);
      lines.push(line);
    },
  });
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += 65_537) reader.push(bytes.slice(at, at + 65_537));
  return lines;
}

/** Makes the decoder refuse resizable buffers, as that of Deno does. */
function refuseResizable(): { readonly refused: () => number } {
  let count = 0;
  vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
    this: InstanceType<typeof TextDecoder>,
    input,
    options,
  ) {
    if (ArrayBuffer.isView(input) && Reflect.get(input.buffer, 'resizable') === true) {
      count++;
      throw new TypeError('resizable buffers are not accepted');
    }
    return decode.call(this, input, options);
  });
  return { refused: () => count };
}

describe('a line of several megabytes', () => {
  it('is read like a short one, before and after others', () => {
    const long = longLine(3 * MIB);
    const lines = read(`first\n${long}\r\nshort\n${long}\nlast\n`, 8 * MIB);
    expect(lines.map((line) => line.kind === 'text' && line.text)).toEqual([
      'first',
      long,
      'short',
      long,
      'last',
    ]);
  });

  it('has given its memory back when it is handed on, so that its text can be parsed beside nothing', () => {
    let decoded: Uint8Array | undefined;
    vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
      this: InstanceType<typeof TextDecoder>,
      input,
      options,
    ) {
      if (input instanceof Uint8Array && input.length > MIB) decoded = input;
      return decode.call(this, input, options);
    });
    const left: (number | undefined)[] = [];
    const lines = read(`${longLine(3 * MIB)}\n`, 8 * MIB, () => left.push(decoded?.buffer.byteLength));
    expect(lines).toHaveLength(1);
    expect(left).toEqual([0]);
  });

  it('is read where the decoder refuses memory that grows', () => {
    const { refused } = refuseResizable();
    const long = longLine(3 * MIB);
    expect(read(`${long}\n${long}\n`, 8 * MIB)).toEqual([
      { kind: 'text', text: long },
      { kind: 'text', text: long },
    ]);
    expect(refused()).toBeGreaterThan(1);
  });

  it('is read where buffers cannot grow', () => {
    vi.spyOn(Reflect, 'construct').mockImplementation(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    const long = longLine(3 * MIB);
    expect(read(`${long}\n`, 8 * MIB)).toEqual([{ kind: 'text', text: long }]);
  });

  it.each([false, true])('is refused if it is not UTF-8, with its ends (memory refused: %s)', (isRefused) => {
    if (isRefused) refuseResizable();
    const bad = Buffer.concat([
      Buffer.from('{"id":1,'),
      Buffer.alloc(2 * MIB, 0xff),
      Buffer.from('end}\nok\n'),
    ]);
    const lines: Line[] = [];
    const reader = createLineReader({ maxBytes: 8 * MIB, onLine: (line) => lines.push(line) });
    for (let at = 0; at < bad.length; at += 65_536) reader.push(bad.subarray(at, at + 65_536));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ kind: 'not-utf8', bytes: 2 * MIB + 12 });
    expect(lines[0]).toHaveProperty('head', expect.stringMatching(/^\{"id":1,/));
    expect(lines[0]).toHaveProperty('tail', expect.stringMatching(/end\}$/));
    expect(lines[1]).toEqual({ kind: 'text', text: 'ok' });
  });

  it('may be as long as the limit, and not longer', () => {
    const exact = 'x'.repeat(2 * MIB);
    const kinds = (text: string): string[] => read(text, 2 * MIB).map((line) => line.kind);
    expect(kinds(`${exact}\r\n`)).toEqual(['text']);
    expect(kinds(`\ufeff${exact}\r\n`)).toEqual(['text']);
    expect(kinds(`${exact}x\n${exact}\n`)).toEqual(['oversized', 'text']);
    expect(kinds(`${exact.repeat(2)}\n${exact}\n`)).toEqual(['oversized', 'text']);
  });
});

describe('createByteCollector with growsInPlace', () => {
  it('keeps what does not fit in parts', () => {
    const kept = createByteCollector({ growsInPlace: 2 * MIB });
    const part = new Uint8Array(700_000).map((_, index) => index % 251);
    const parts = [part, part, part, part];
    for (const each of parts) kept.add(each);
    expect(kept.size).toBe(2_800_000);
    expect(Buffer.from(kept.head(10))).toEqual(Buffer.from(part.subarray(0, 10)));
    expect(Buffer.from(kept.tail(10))).toEqual(Buffer.from(part.subarray(-10)));
    const whole = Buffer.concat([...parts, Buffer.from('end')]);
    expect(Buffer.compare(kept.take(encoder.encode('end')), whole)).toBe(0);
    expect(kept.size).toBe(0);
  });

  it('starts anew after take()', () => {
    const kept = createByteCollector({ growsInPlace: 4 * MIB });
    const part = new Uint8Array(1_500_000).fill(7);
    for (let round = 0; round < 2; round++) {
      kept.add(part);
      expect(kept.take(encoder.encode('end'))).toHaveLength(1_500_003);
      kept.add(encoder.encode('next'));
      expect(kept.size).toBe(4);
      expect(new TextDecoder().decode(kept.take(new Uint8Array(0)))).toBe('next');
    }
  });
});
