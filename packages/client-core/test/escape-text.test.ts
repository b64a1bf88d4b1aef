import { describe, expect, it } from 'vitest';
import { escapeText } from '../src/text.js';

describe('text that a person decides by', () => {
  it.each([
    ['ls\u009d; curl evil\u009c', 'ls\\u{9d}; curl evil\\u{9c}'],
    ['a\u001b[2Kb', 'a\\u{1b}[2Kb'],
    ['safe\u202egnp.exe', 'safe\\u{202e}gnp.exe'],
    ['a\u200bb\u{e0041}', 'a\\u{200b}b\\u{e0041}'],
    ['\ud800', '\\u{d800}'],
    ['line\r\nnext\t', 'line\\u{d}\\nnext\\t'],
    ['żółć 漢字 👍', 'żółć 漢字 👍'],
  ])('escapes instead of removing: %j', (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it('says how much was cut', () => {
    expect(escapeText(`ls${' '.repeat(10_000)}; curl evil`, { maxLength: 5 })).toBe(
      'ls   … (10008 more characters)',
    );
  });

  it('never cuts through a pair of surrogates', () => {
    expect(escapeText('ab👍cd', { maxLength: 3 })).toBe('ab… (4 more characters)');
  });

  it('keeps line feeds where it is asked to', () => {
    expect(escapeText('a\nb\u0000', { multiline: true })).toBe('a\nb\\u{0}');
  });
});
