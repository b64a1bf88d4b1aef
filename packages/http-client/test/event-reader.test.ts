import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { EventReader, type EventReaderOptions } from '../src/events/event-reader.js';

/** What the reader said about a stream, in order. */
function read(chunks: Iterable<string | Uint8Array>, options: Partial<EventReaderOptions> = {}): string[] {
  const said: string[] = [];
  const reader = new EventReader({
    onEvent: ({ event, data, id }) => said.push(`${event}|${data}|${id ?? '-'}`),
    onId: (id) => said.push(`id ${id}`),
    onRetry: (ms) => said.push(`retry ${ms}`),
    onMalformed: () => said.push('malformed'),
    ...options,
  });
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return said;
}

const events = (text: string, options?: Partial<EventReaderOptions>): string[] =>
  read([text], options).filter((line) => line.includes('|'));

describe('events, by the HTML standard', () => {
  it.each<[string, string, string[]]>([
    ['one line', 'data: a\n\n', ['|a|-']],
    ['several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', ['|YHOO\n+2\n10|-']],
    ['a name', 'event: add\ndata: 1\n\n', ['add|1|-']],
    ['a name after the data', 'data: 1\nevent: add\n\n', ['add|1|-']],
    ['the last name of two', 'event: a\nevent: b\ndata: 1\n\n', ['b|1|-']],
    ['a name for one event only', 'event: a\ndata: 1\n\ndata: 2\n\n', ['a|1|-', '|2|-']],
    ['an id', 'id: 7\ndata: 1\n\ndata: 2\n\n', ['|1|7', '|2|-']],
    ['no blank after the colon', 'data:a\n\n', ['|a|-']],
    ['two blanks after the colon', 'data:  a\n\n', ['| a|-']],
    ['a colon in the data', 'data: a: b\n\n', ['|a: b|-']],
    ['data without a character', 'data\n\ndata:\n\ndata: \n\n', ['||-', '||-', '||-']],
    ['two lines without a character', 'data\ndata\n\n', ['|\n|-']],
    ['a comment', ': hi\ndata: 1\n:\n\n', ['|1|-']],
    ['no data', 'event: x\n\n\n\n', []],
    ['no end', 'data: 1\n', []],
    ['CRLF', 'event: a\r\ndata: 1\r\n\r\n', ['a|1|-']],
    ['CR', 'event: a\rdata: 1\r\r', ['a|1|-']],
    ['all three', 'data: 1\r\ndata: 2\rdata: 3\n\r\n', ['|1\n2\n3|-']],
    ['a byte order mark', '\ufeffdata: 1\n\n', ['|1|-']],
    ['a second byte order mark', '\ufeff\ufeffdata: 1\n\ndata: 2\n\n', ['|2|-']],
    ['an upper-case field', 'DATA: 1\ndata: 2\n\n', ['|2|-']],
    ['a field with a blank before it', ' data: 1\ndata: 2\n\n', ['|2|-']],
    ['line separators of Unicode', 'data: a\u2028b\u2029c\u0085d\n\n', ['|a\u2028b\u2029c\u0085d|-']],
  ])('%s', (_, text, expected) => expect(events(text)).toEqual(expected));

  it('unknown fields and names are ignored, also those that begin like known ones', () => {
    expect(
      events('foo: 1\nfoo\nda: 1\ndatabase: 1\neventful: 1\nidle: 1\nretry-after: 1\ni: 1\n\ndata: 2\n\n'),
    ).toEqual(['|2|-']);
    expect(events('event: no/such\ndata: 1\n\n')).toEqual(['no/such|1|-']);
  });

  it('are the same however the bytes are cut', () => {
    const piece = fc.constantFrom(
      'data: ',
      'data',
      'é',
      '😀',
      '\u2028',
      'x',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      ': c',
      'id: 1',
      'event: e',
      'retry: 5',
      ':',
      '\0',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat({ max: 4 }), { maxLength: 80 }),
        (pieces, sizes) => {
          const bytes = Buffer.from(pieces.join(''));
          const chunks: Uint8Array[] = [];
          let at = 0;
          for (const size of sizes) {
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          chunks.push(bytes.subarray(at));
          expect(read(chunks)).toEqual(read([bytes]));
        },
      ),
      { numRuns: rounds(2000) },
    );
  });

  it('are the same as one that follows the standard line by line says', () => {
    const line = fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'event: e',
      'event',
      ':x',
      'id: 1',
      'id',
      'id: a\0b',
      'retry: 3',
      'other: 1',
      '',
      '',
    );
    const end = fc.constantFrom('\n', '\r', '\r\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end), { maxLength: 25 }), (lines) => {
        const text = lines.map(([content, ending]) => content + ending).join('');
        expect(read([text])).toEqual(byTheStandard(text));
      }),
      { numRuns: rounds(2000) },
    );
  });
});

/** The algorithm of the standard, word for word and slow. */
function byTheStandard(text: string): string[] {
  const said: string[] = [];
  let data: string[] = [];
  let event = '';
  let id: string | undefined;
  // Text after the last line end is not a line yet.
  for (const line of text.split(/\r\n|\r|\n/).slice(0, -1)) {
    if (line === '') {
      if (id !== undefined) said.push(`id ${id}`);
      if (data.length > 0) said.push(`${event}|${data.join('\n')}|${id ?? '-'}`);
      data = [];
      event = '';
      id = undefined;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) said.push(`retry ${value}`);
  }
  return said;
}

describe('endless data', () => {
  const limit = { maxEventBytes: 1000 };
  const tooLarge = expect.objectContaining({
    code: 'MESSAGE_TOO_LARGE',
    details: { limit: 1000 },
  });

  it.each<[string, string]>([
    ['a line', 'data: '.padEnd(50, 'x')],
    ['a line of a comment', ':'.padEnd(50, 'x')],
    ['a line of an unknown field', 'foo: '.padEnd(50, 'x')],
  ])('%s without an end', (_, head) => {
    const endless = function* () {
      yield head;
      for (;;) yield 'x'.repeat(50);
    };
    expect(() => read(endless(), limit)).toThrow(tooLarge);
  });

  it.each(['data: x\n', 'data\n', 'data:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n'])(
    'lines of data without a blank one: %j',
    (line) => {
      const endless = function* () {
        for (;;) yield line;
      };
      expect(() => read(endless(), limit)).toThrow(tooLarge);
    },
  );

  it('does not refuse an event of the permitted size, in one piece or in many', () => {
    const text = `data: ${'x'.repeat(980)}\n\n`;
    expect(read([text], limit)).toHaveLength(1);
    expect(read(text, limit)).toHaveLength(1);
    expect(read(Array(50).fill(text) as string[], limit)).toHaveLength(50);
    expect(() => read([`data: ${'x'.repeat(1000)}\n\n`], limit)).toThrow();
  });

  it('keeps memory in proportion to the limit, whatever it is cut into', () => {
    // 16 MB of lines without a character, then 16 MB one byte at a time: an entry for each would be a gigabyte.
    const before = process.memoryUsage.rss();
    const reader = new EventReader({ onEvent: () => undefined });
    const lines = Buffer.from('data\n'.repeat(10_000));
    for (let turn = 0; turn < 320; turn++) reader.push(lines);
    const dripping = new EventReader({ onEvent: () => undefined });
    const byte = Buffer.from('x');
    for (let turn = 0; turn < 4_000_000; turn++) dripping.push(byte);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024);
  });
});

describe('comments and empty events', () => {
  it('is passed over: a million comments, blank lines and unknown fields', () => {
    const started = performance.now();
    for (const piece of [':\n\n', '\n', ': keep-alive\n', 'foo: bar\n', 'foo\n', '\r', 'event: x\n\n']) {
      expect(read([piece.repeat(1_000_000)])).toEqual([]);
    }
    // Seven million lines. One search of the rest for each would take hours, an Error for each a minute.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('does not stand between a message and its reader', () => {
    expect(events(`${':\n'.repeat(1000)}data: 1\n${': x\n'.repeat(1000)}data: 2\n\n`)).toEqual(['|1\n2|-']);
  });
});

describe('ids', () => {
  it.each([
    ['NUL', 'a\0b'],
    ['NUL alone', '\0'],
    ['a bell', 'a\u0007b'],
    ['1025 characters', 'x'.repeat(1025)],
    ['a megabyte', 'x'.repeat(1_000_000)],
  ])('an id that cannot be sent back is ignored: %s', (_, id) => {
    expect(read([`id: ${id}\ndata: 1\n\n`])).toEqual(['|1|-']);
    expect(read([`id: 7\nid: ${id}\ndata: 1\n\n`])).toEqual(['id 7', '|1|7']);
  });

  it('a line end ends the id, so none is ever in it', () => {
    expect(read(['id: a\rid: b\r\ndata: 1\n\n'])).toEqual(['id b', '|1|b']);
  });

  it('is told of a block without data, and may be without a character', () => {
    expect(read(['id: 5\n\n', 'id\ndata:\n\n'])).toEqual(['id 5', 'id ', '||']);
  });
});

describe('retry', () => {
  it.each<[string, string[]]>([
    ['500', ['retry 500']],
    ['0', ['retry 0']],
    ['00010', ['retry 10']],
    ['300001', ['retry 300000']],
    ['999999999999999', ['retry 300000']],
    ['9'.repeat(16), []],
    ['-1', []],
    ['1.5', []],
    ['1e3', []],
    ['0x10', []],
    ['٣', []],
    ['', []],
  ])('%s', (value, expected) => expect(read([`retry: ${value}\n\n`])).toEqual(expected));
});

describe('what is not UTF-8', () => {
  const bytes = (...parts: (string | number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

  it('loses the event that holds it, and no other', () => {
    const chunk = bytes('data: 1\n\ndata: a', [0xff, 0xfe], 'b\n\ndata: 3\n\n');
    expect(read([chunk])).toEqual(['|1|-', 'malformed', '|3|-']);
  });

  it('is not what a real U+FFFD is', () => {
    expect(read(['data: \ufffd\n\n'])).toEqual(['|\ufffd|-']);
  });

  it('also when its lines arrive in different chunks', () => {
    expect(read([bytes('data: ', [0xc3], '\n'), 'data: b\n\n', 'data: c\n\n'])).toEqual([
      'malformed',
      '|c|-',
    ]);
  });
});

describe('what belongs to no data', () => {
  const ignoredIn = (text: string): number => {
    let count = 0;
    read([text], { onIgnored: () => void count++ });
    return count;
  };

  it.each([
    'data: 1\n\n',
    ': hi\nid: 1\nevent: message\nretry: 5\ndata: 1\n\n',
    'data: 1\ndata: 2\nid: 3\n\n',
  ])('is nothing in an ordinary event: %j', (text) => expect(ignoredIn(text.repeat(50))).toBe(0));

  it.each([
    '\n',
    ': hi\n',
    ': hi\n\n',
    'id: 1\n',
    'id: 1\n\n',
    'retry: 1\n',
    'event: a\n',
    'x\n',
    'event: a\n\n',
  ])('is reported about as often as a server sends it: %j', (text) =>
    expect(ignoredIn(text.repeat(50))).toBeGreaterThan(45),
  );
});
