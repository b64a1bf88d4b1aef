import { describe, expect, it } from 'vitest';
import { escapeJson } from '@mcp-fittings/toolbox/text';

describe('JSON that a person decides by', () => {
  it('is plain JSON where nothing has to be escaped or cut', () => {
    const value = { a: 'x', list: [1, true, null, { b: '' }], 'żółć 漢字 👍': [], empty: {} };
    const { text, missing } = escapeJson(value);
    expect(text).toBe(JSON.stringify(value, undefined, 2));
    expect(missing).toBe(0);
  });

  it.each([
    ['\u009d hidden \u009c', '"\\u{9d} hidden \\u{9c}"'],
    ['\u001b]8;;evil\u0007', '"\\u001b]8;;evil\\u0007"'],
    ['a\u200bb\u{e0041}\ufe0f', '"a\\u{200b}b\\u{e0041}\\u{fe0f}"'],
    ['\u202e\u2066', '"\\u{202e}\\u{2066}"'],
    ['\ud800', '"\\ud800"'],
    ['a\u00a0\u3000\u2800b c', '"a\\u{a0}\\u{3000}\\u{2800}b c"'],
    ['\\u{202e}', '"\\\\u{202e}"'],
    ['\u0301n\u0336', '"\\u{301}n\\u{336}"'],
    ['line\nnext\u2028', '"line\\nnext\\u{2028}"'],
  ])('escapes %j in texts and in keys', (text, shown) => {
    expect(escapeJson(text).text).toBe(shown);
    expect(escapeJson({ [text]: 1 }).text).toBe(`{\n  ${shown}: 1\n}`);
  });

  it('shows the beginning and the end of a long text, and what is missing between them', () => {
    const { text, missing } = escapeJson(`ls${' '.repeat(50_000)}; curl evil`, { maxLength: 200 });
    expect(text).toMatch(/^"ls +" … \d+ more characters … " +; curl evil"$/);
    expect(missing).toBe(Number(/ (\d+) more/.exec(text)?.[1]));
    expect(text.length).toBeLessThan(300);
  });

  it.each([
    ['a text that just fits', 'x'.repeat(38), 40, `"${'x'.repeat(38)}"`],
    [
      'one character more',
      'x'.repeat(39),
      40,
      `"${'x'.repeat(29)}" … 1 more characters … "${'x'.repeat(9)}"`,
    ],
    ['six characters and two at least', 'x'.repeat(1000), 1, '"xxxxxx" … 992 more characters … "xx"'],
  ])('cuts a text at its bound: %s', (_, value, maxLength, text) => {
    const missing = Number(/ (\d+) more/.exec(text)?.[1] ?? 0);
    expect(escapeJson(value, { maxLength })).toEqual({ text, missing });
  });

  it('gives every member a share, short ones first', () => {
    const value = { content: 'x'.repeat(50_000), more: 'y'.repeat(50_000), command: 'rm -rf ~' };
    const { text } = escapeJson(value, { maxLength: 1_000 });
    expect(text.length).toBeLessThan(1_200);
    expect(text.split('\n')[1]).toBe('  "command": "rm -rf ~",');
    expect(text.match(/more characters/g)).toHaveLength(2);
  });

  it('counts what it leaves out of many members, many elements and much depth', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]));
    const { text, missing } = escapeJson(many, { maxLength: 1_000 });
    expect(text).toMatch(/… 99975 more members, at least \d+ characters\n\}$/);
    expect(missing).toBeGreaterThan(100_000);
    expect(
      escapeJson(
        Array.from({ length: 5_000 }, () => 'element'),
        { maxLength: 400 },
      ).text,
    ).toMatch(/… 4990 more elements, \d+ characters/);
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100; level++) deep = [deep];
    expect(escapeJson(deep).text).toContain('nested deeper than 64 levels');
  });

  it('bounds the text also when every character becomes an escape', () => {
    const hostile = { a: '\u{e0041}'.repeat(20_000), ['\u202e'.repeat(20_000)]: '\u200b'.repeat(20_000) };
    expect(escapeJson(hostile, { maxLength: 2_000 }).text.length).toBeLessThan(2_600);
  });

  it('never cuts through a pair of surrogates', () => {
    const { text } = escapeJson('👍'.repeat(1_000), { maxLength: 101 });
    expect(text).not.toContain('\\ud83d');
  });

  it('does not throw for a value that cannot be read', () => {
    const broken = {
      get a(): string {
        throw new Error('no');
      },
    };
    expect(escapeJson(broken).text).toBe('[unreadable]');
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(escapeJson(cyclic, { maxLength: 500 }).text).toContain('nested deeper');
  });
});
