import { describe, expect, it } from 'vitest';
import type { RejectedMessage } from '../src/wire/framing.js';
import { contentLengthFraming } from '../src/wire/content-length-framing.js';
import { newlineFraming } from '../src/wire/newline-framing.js';
import { MessageReader } from '../src/wire/message-reader.js';

const LIMIT = 1000;
const FRAMINGS = { newline: newlineFraming, 'content-length': contentLengthFraming };

interface Found {
  readonly values: unknown[];
  readonly noise: string[];
  readonly rejected: RejectedMessage[];
  readonly broken: string[];
}

type Answers = (message: RejectedMessage) => boolean;

/** What a reader makes of these bytes, when they come in pieces of this size. */
function readInPieces(
  name: 'newline' | 'content-length',
  bytes: Uint8Array,
  size: number,
  answers: Answers,
): Found {
  const found: Found = { values: [], noise: [], rejected: [], broken: [] };
  const reader = new MessageReader({
    framing: FRAMINGS[name],
    sink: {
      value: (value) => void found.values.push(value),
      noise: (head) => void found.noise.push(head().trim()),
      rejected: (message) => {
        found.rejected.push(message);
        return answers(message);
      },
      broken: (code, problem) => void found.broken.push(`${code}: ${problem.replace(/\d+/, 'N')}`),
    },
    maxBytes: LIMIT,
    found: (text) => reader.parse(text),
  });
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return found;
}

/** The same for any pieces. */
function read(
  name: 'newline' | 'content-length',
  input: Uint8Array | string,
  answers: Answers = () => false,
): Found {
  const bytes = Buffer.from(input);
  const comparable = (found: Found): Found => ({ ...found, rejected: found.rejected.filter(final) });
  const whole = readInPieces(name, bytes, bytes.length, answers);
  for (let size = 1; size < 10; size++) {
    expect(comparable(readInPieces(name, bytes, size, answers))).toEqual(comparable(whole));
  }
  return whole;
}

const final = (message: RejectedMessage): boolean => message.tail !== undefined;
const framed = (json: string): string => FRAMINGS['content-length'].frame(json);

describe('one message per line', () => {
  it('keeps text unchanged: split code points, CRLF, a byte order mark, line separators', () => {
    const text = 'äöü 中文 😀 \u2028\u2029 \ufeff';
    const line = JSON.stringify({ text });
    expect(read('newline', `\ufeff${line}\r\n${line}\n`).values).toEqual([{ text }, { text }]);
  });

  it('skips a byte order mark before each message, as writers in .NET may add one', () => {
    const bytes = '\ufeff{"id":1}\n\ufeff{"id":2}\r\n\ufefflog\n\ufeff\n\ufeff {"id":3}\n';
    const { values, noise } = read('newline', bytes);
    expect(values).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(noise).toHaveLength(2);
    const framedTwice = `\ufeff${framed('{"id":1}')}\ufeff${framed('\ufeff{"id":2}')}`;
    expect(read('content-length', framedTwice)).toMatchObject({ values: [{ id: 1 }, { id: 2 }], noise: [] });
  });

  it('accepts a lone surrogate that is escaped in JSON, and rejects a raw one', () => {
    const escaped = read('newline', String.raw`{"text":"\ud800"}` + '\n');
    expect(escaped.values).toEqual([{ text: '\ud800' }]);
    const raw = Buffer.concat([
      Buffer.from('{"id":4,"result":{"x":"'),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.from('"}}\n{}\n'),
    ]);
    const { values, rejected } = read('newline', raw);
    expect(values).toEqual([{}]);
    expect(rejected).toMatchObject([
      { code: 'MESSAGE_INVALID', problem: expect.stringContaining('not valid UTF-8') },
    ]);
  });

  it('skips blank and other lines without parsing them', () => {
    const lines = [
      '',
      '  ',
      '\t',
      '\r',
      'log',
      '[INFO] started',
      '{not json',
      '{ }',
      'null',
      '"x"',
      '5',
      '  {"a":1}  ',
      '[{"b":2}]',
      '[[1]]',
      '',
    ];
    const { values, noise, rejected } = read('newline', lines.join('\n'));
    expect(values).toEqual([{}, { a: 1 }, [{ b: 2 }]]);
    expect(noise).toEqual([
      '',
      '',
      '',
      '',
      'log',
      '[INFO] started',
      '{not json',
      'null',
      '"x"',
      '5',
      '[[1]]',
    ]);
    expect(rejected).toEqual([]);
  });

  it('rejects what begins like a message and is not JSON', () => {
    const { rejected } = read('newline', '{"id":3,"result":{"x":NaN}}\n');
    expect(rejected).toMatchObject([{ code: 'MESSAGE_INVALID', head: '{"id":3,"result":{"x":NaN}}' }]);
  });

  it('rejects a message that is too large, and reads on', () => {
    const large = JSON.stringify({ id: 3, result: { text: 'x'.repeat(LIMIT) } });
    const { values, rejected, broken } = read('newline', `${large}\n{"a":1}\n`);
    expect(rejected).toMatchObject([{ code: 'MESSAGE_TOO_LARGE', tail: expect.stringMatching(/x"\}\}$/) }]);
    expect(values).toEqual([{ a: 1 }]);
    expect(broken).toEqual([]);
  });

  it('fails the request before the end of a message that is too large, and only once', () => {
    const large = JSON.stringify({ id: 3, result: { text: 'x'.repeat(LIMIT * 2) } });
    const { rejected } = read('newline', large.slice(0, 1500), () => true);
    expect(rejected).toHaveLength(1);
    expect(rejected[0]?.head).toContain('"id":3');
    expect(rejected.filter(final)).toEqual([]);
  });

  it('rejects each of several messages that are too large', () => {
    const line = (id: number): string => `${JSON.stringify({ id, result: { text: 'x'.repeat(LIMIT) } })}\n`;
    const told: string[] = [];
    readInPieces(
      'newline',
      Buffer.from(line(3) + line(4)),
      100,
      ({ head }) => told.push(head.slice(0, 7)) > 0,
    );
    expect(told).toEqual(['{"id":3', '{"id":4']);
  });

  it('ignores the encoding of lines that are not messages', () => {
    const { noise, rejected } = read('newline', Buffer.from('caf\xe9\n', 'latin1'));
    expect({ noise, rejected }).toEqual({ noise: ['caf\ufffd'], rejected: [] });
  });

  it('gives up on a message four times too large, and on other endless lines at once', () => {
    const endless = `{"id":3,${' '.repeat(LIMIT * 4)}`;
    expect(read('newline', endless.slice(0, LIMIT * 4 - 10)).broken).toEqual([]);
    expect(read('newline', endless).broken).toEqual([
      'MESSAGE_TOO_LARGE: The server wrote N bytes without a line end.',
    ]);
    expect(read('newline', 'x'.repeat(LIMIT + 5)).broken).toHaveLength(1);
  });
});

describe('Content-Length', () => {
  it('carries messages, counted in bytes', () => {
    const text = 'äöü\n\r\n 中文 😀 Content-Length: 5';
    const wire = framed(JSON.stringify({ text }));
    expect(wire).toMatch(/^Content-Length: 5\d\r\n\r\n\{/);
    expect(read('content-length', wire + framed('{ "pretty":\n 1 }')).values).toEqual([
      { text },
      { pretty: 1 },
    ]);
  });

  it('accepts other spellings of the header, a Content-Type, and bare line feeds', () => {
    const spellings = [
      'content-length:2\n\n{}',
      'CONTENT-LENGTH:   2  \r\nContent-Type: x\r\n\r\n{}',
      'Content-Type: x\r\nContent-Length: 02\r\nContent-Length: 2\n\r\n{}',
    ];
    expect(read('content-length', spellings.join('')).values).toEqual([{}, {}, {}]);
  });

  it('skips lines between the messages', () => {
    const { values, noise } = read(
      'content-length',
      `starting\n\n${framed('{"a":1}')}INFO: ready\r\n${framed('{"b":2}')}`,
    );
    expect(values).toEqual([{ a: 1 }, { b: 2 }]);
    expect(noise).toEqual(['starting', '', 'INFO: ready']);
  });

  it.each([
    ['-1', 'not a number'],
    ['1e3', 'not a number'],
    ['0x10', 'not a number'],
    ['+5', 'not a number'],
    ['5, 5', 'not a number'],
    ['', 'not a number'],
    ['9'.repeat(400), 'not a number'],
    ['2\r\nContent-Length: 3', 'two different'],
  ])('ends the connection at the length %j', (length, problem) => {
    const { values, broken } = read('content-length', `Content-Length: ${length}\r\n\r\n{}${framed('{}')}`);
    expect(broken).toEqual([`PROTOCOL_VIOLATION: ${broken[0]?.slice(20) ?? ''}`]);
    expect(broken[0]).toContain(problem);
    expect(values).toEqual([]);
  });

  it('ignores an empty message', () => {
    const { values, rejected, noise } = read('content-length', `Content-Length: 0\r\n\r\n${framed('{}')}`);
    expect({ values, rejected, noise }).toEqual({ values: [{}], rejected: [], noise: [] });
  });

  it('rejects what is too large, not UTF-8 or not JSON, and reads on', () => {
    const large = JSON.stringify({ id: 3, result: { text: 'x'.repeat(LIMIT) } });
    const notUtf8 = Buffer.concat([
      Buffer.from('Content-Length: 11\r\n\r\n{"id":1,"'),
      Buffer.of(0xff),
      Buffer.from('}'),
    ]);
    const wire = Buffer.concat([
      Buffer.from(framed(large)),
      notUtf8,
      Buffer.from(framed('{"a":') + framed('{"b":2}')),
    ]);
    const { values, rejected } = read('content-length', wire);
    expect(values).toEqual([{ b: 2 }]);
    expect(rejected.filter(final).map(({ code }) => code)).toEqual([
      'MESSAGE_TOO_LARGE',
      'MESSAGE_INVALID',
      'MESSAGE_INVALID',
    ]);
    expect(rejected[0]?.head).toMatch(/^\{"id":3/);
    expect(rejected.find((message) => final(message))?.tail).toMatch(/x"\}\}$/);
  });

  it('gives up on a message four times too large as soon as it is announced, and on an endless header', () => {
    const announced = read('content-length', `Content-Length: ${LIMIT * 4 + 1}\r\n\r\n`);
    expect(announced.broken).toEqual(['MESSAGE_TOO_LARGE: The server announced a message of N bytes.']);
    expect(read('content-length', 'x'.repeat(LIMIT + 1)).broken).toHaveLength(1);
  });
});
