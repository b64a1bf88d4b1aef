import { FittingsError } from '@mcp-fittings/client-core';
import type { ToolResult } from '@mcp-fittings/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { renderError, renderForModel, renderForTerminal } from '../../src/results/render-result.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = Buffer.from('RIFF\0\0\0\0WAVEfmt ').toString('base64');

const result = (content: unknown, more: object = {}): ToolResult => ({
  content: Array.isArray(content) ? content : [content],
  ...more,
});

/** Invisible characters, except line feeds and tabs. */
const INVISIBLE = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u;

describe('blocks of every kind', () => {
  const everything = result(
    [
      { type: 'text', text: 'Hello' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: WAV, mimeType: 'audio/x-wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'content of a' } },
      { type: 'resource', resource: { uri: 'file:///b.png', mimeType: 'image/png', blob: PNG } },
      { type: 'resource', resource: { uri: 'file:///c.bin', mimeType: 'application/zip', blob: 'UEsDBA==' } },
      {
        type: 'resource_link',
        uri: 'https://x.example/d',
        name: 'd',
        mimeType: 'text/html',
        description: 'A page',
      },
    ],
    { structuredContent: { answer: 42 } },
  );

  it('for the model: media as parts, the rest as text in order', () => {
    const { parts, text, isError } = renderForModel(everything);
    expect(isError).toBe(false);
    expect(parts.map((part) => (part.type === 'text' ? part.text : part.mimeType))).toEqual([
      'Hello',
      'image/png',
      'audio/wav',
      '[resource file:///a.txt, text/plain]\ncontent of a',
      'image/png',
      expect.stringContaining(
        '[file:///c.bin, application/zip, 4 bytes, not shown: its MIME type is not supported]',
      ),
    ]);
    expect(text).not.toContain(PNG.slice(0, 20));
  });

  it('for the user: text only, media described with type and size', () => {
    const text = renderForTerminal(everything);
    expect(text).toContain('Hello\n[image/png, 70 bytes]\n[audio/x-wav, 16 bytes]');
    expect(text).toContain('[file:///b.png, image/png, 70 bytes]');
    expect(text).not.toContain('iVBOR');
  });

  it('isError is kept, and the text for the user says so', () => {
    const failed = result({ type: 'text', text: 'No such file' }, { isError: true });
    expect(renderForModel(failed).isError).toBe(true);
    expect(renderForTerminal(failed)).toBe('The tool failed: No such file');
  });

  it('structured content that a text block repeats is rendered once', () => {
    const value = { a: [1, { b: null }] };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const repeated = result({ type: 'text', text }, { structuredContent: value });
      expect(renderForModel(repeated).text).toBe(text);
    }
    for (const [text, only] of [
      ['words', 'words'],
      ['[1,2]', [1, 2]],
    ]) {
      const wrapped = result({ type: 'text', text }, { structuredContent: { result: only } });
      expect(renderForModel(wrapped).text).toBe(text);
    }
    const other = result({ type: 'text', text: '{"a":1}' }, { structuredContent: value });
    expect(renderForModel(other).text).toContain('"b": null');
  });

  it('a result without content or with empty text renders as empty', () => {
    for (const text of ['', '\u001b[2J\u200b', ' \n'])
      expect(renderForModel(result({ type: 'text', text }))).toEqual({ parts: [], text: '', isError: false });
    expect(renderForModel(result([]))).toEqual({ parts: [], text: '', isError: false });
  });
});

describe('limits', () => {
  it('truncates to 100 000 characters by default, with a note', () => {
    const long = result({ type: 'text', text: 'x'.repeat(250_000) });
    for (const text of [renderForModel(long).text, renderForTerminal(long)]) {
      expect(text.length).toBeLessThanOrEqual(100_000);
      expect(text.length).toBeGreaterThan(99_000);
      expect(text).toMatch(/x…\n\[Truncated: the first 99880 of 250000 characters are shown\./);
    }
  });

  it('truncates across all blocks and keeps the images', () => {
    const blocks = Array.from({ length: 50 }, (_, index) =>
      index === 40
        ? { type: 'image', data: PNG, mimeType: 'image/png' }
        : { type: 'text', text: 'y'.repeat(1_000) },
    );
    const { parts, text } = renderForModel(result(blocks), { maxCharacters: 5_000 });
    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(text).toContain('[Truncated: ');
    expect(parts.filter((part) => part.type === 'image')).toHaveLength(1);
  });

  it('what is before an image counts for the text after it', () => {
    const blocks = [
      { type: 'text', text: 'a'.repeat(2_000) },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'text', text: 'b'.repeat(4_000) },
    ];
    const { text } = renderForModel(result(blocks), { maxCharacters: 5_000 });
    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(text).toMatch(/^a{2000}\nb{2000,}…\n\[Truncated: /);
  });

  it('no part of a truncated result is empty', () => {
    const blocks = (length: number) => [
      { type: 'text', text: 'a'.repeat(length) },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'text', text: 'b'.repeat(4_000) },
    ];
    for (const length of [4_878, 4_879, 4_880]) {
      const { parts } = renderForModel(result(blocks(length)), { maxCharacters: 5_000 });
      expect(
        parts.filter((part) => part.type === 'text' && part.text === ''),
        String(length),
      ).toEqual([]);
    }
  });

  it('text that just fits is not truncated', () => {
    const fits = result({ type: 'text', text: 'z'.repeat(100_000) });
    expect(renderForModel(fits).text).toBe('z'.repeat(100_000));
    const shrinks = result({ type: 'text', text: `${'\u001b[31m'.repeat(10_000)}red` });
    expect(renderForModel(shrinks, { maxCharacters: 50_000 }).text).toBe('red');
  });

  it('rendering structured content costs no more than what is shown of it', () => {
    let reads = 0;
    const endless = new Proxy([], {
      get: (_, key) => {
        if (key === 'length') return 1e9;
        reads++;
        return typeof key === 'symbol' ? Reflect.get([], key) : 'x';
      },
    });
    const { text } = renderForModel(result([], { structuredContent: { endless } }), { maxCharacters: 1_000 });
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(reads).toBeLessThan(2_000);
    let deep: unknown = {};
    for (let level = 0; level < 20_000; level++) deep = { deep };
    expect(renderForModel(result([], { structuredContent: deep })).text).toContain('{…}');
  });

  it.each([
    ['too large', 'A'.repeat(8_000_000), 'image/png', 'larger than 5.0 MB'],
    ['invalid base64', `${PNG.slice(0, -4)}!!!!`, 'image/png', 'not valid base64'],
    ['base64 with a data URL', `data:image/png;base64,${PNG}`, 'image/png', 'not valid base64'],
    ['of another type than it says', PNG, 'image/jpeg', 'does not match its MIME type'],
    ['a vector image', 'PHN2Zz48L3N2Zz4=', 'image/svg+xml', 'MIME type is not supported'],
    ['a page', 'PGh0bWw+', 'text/html', 'MIME type is not supported'],
    ['named as what every object has', PNG, 'constructor', 'MIME type is not supported'],
    ['without data', undefined, 'image/png', 'no data'],
    ['without a type', PNG, undefined, 'no data or no MIME type'],
    ['empty', '', 'image/png', 'not valid base64'],
  ])('an image that is %s is mentioned, not passed on', (_, data, mimeType, why) => {
    const { parts, text } = renderForModel(result({ type: 'image', data, mimeType }));
    expect(parts).toHaveLength(1);
    expect(text).toContain(why);
    expect(text.length).toBeLessThan(300);
  });

  it('passes on at most twenty media', () => {
    const many = result(
      Array.from({ length: 30 }, () => ({ type: 'image', data: PNG, mimeType: 'image/png' })),
    );
    const { parts, text } = renderForModel(many);
    expect(parts.filter((part) => part.type === 'image')).toHaveLength(20);
    expect(text.match(/too many/g)).toHaveLength(10);
  });
});

describe('no control sequences or invisible characters', () => {
  const evil = fc
    .array(
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]8;;https://evil\u0007',
        '\u001b]52;c;aGk=\u0007',
        '\u009b2J',
        '\u202e',
        '\u200b',
        '\0',
        '\u2066',
        '\ufeff',
        '\u{e0041}',
        '\ud800',
        '\u2028',
        '\r',
        'text',
        '\n',
        '\t',
        '💩',
        'é',
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(''));
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: evil }),
    fc.record({ type: fc.constantFrom('image', 'audio'), data: evil, mimeType: evil }),
    fc.record({
      type: fc.constant('resource'),
      resource: fc.record({ uri: evil, mimeType: evil, text: evil }),
    }),
    fc.record({
      type: fc.constant('resource'),
      resource: fc.record({ uri: evil, mimeType: evil, blob: evil }),
    }),
    fc.record({ type: fc.constant('resource_link'), uri: evil, name: evil, description: evil }),
    fc.record({ type: evil }),
    fc.constantFrom(null, 5, 'text', [], {}, { type: 'resource' }, { type: 'text', text: 5 }),
  );

  it('every rendered text is free of control sequences, whatever the server sends', () => {
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 5 }),
        fc.option(fc.dictionary(evil, evil)),
        (blocks, structured) => {
          const hostile = result(blocks, structured === null ? {} : { structuredContent: structured });
          const { parts, text } = renderForModel(hostile, { maxCharacters: 500 });
          expect(text).not.toMatch(INVISIBLE);
          expect(renderForTerminal(hostile)).not.toMatch(INVISIBLE);
          expect(text.length).toBeLessThanOrEqual(500);
          for (const part of parts) if (part.type === 'text') expect(part.text).not.toMatch(INVISIBLE);
        },
      ),
      { numRuns: rounds(1_000) },
    );
  });

  it('a block that the host could not read is described with its type', () => {
    const block = { type: 'unknown', declaredType: 'hologram', value: { type: 'hologram' } } as const;
    expect(renderForModel({ content: [block] }).text).toBe('[content of unknown type hologram]');
  });

  it('content that is not an array is ignored', () => {
    expect(renderForModel({ content: 'x' } as unknown as ToolResult).text).toBe('');
  });

  it('an error is rendered with its hint and sanitized', () => {
    const error = new FittingsError('RPC_ERROR', 'It said:\n\u001b[2Jno.', { hint: 'Ask again.' });
    expect(renderError(error)).toEqual({
      parts: [{ type: 'text', text: 'It said:\nno. Ask again.' }],
      text: 'It said:\nno. Ask again.',
      isError: true,
    });
  });
});
