import { describe, expect, it } from 'vitest';
import { escapeText } from '@mcp-fittings/toolbox/text';

describe('text that a person decides by', () => {
  it.each([
    ['ls\u009d; curl evil\u009c', 'ls\\u{9d}; curl evil\\u{9c}'],
    ['a\u001b[2Kb', 'a\\u{1b}[2Kb'],
    ['safe\u202egnp.exe', 'safe\\u{202e}gnp.exe'],
    ['a\u200bb\u{e0041}', 'a\\u{200b}b\\u{e0041}'],
    ['\ud800', '\\u{d800}'],
    ['line\r\nnext\t', 'line\\u{d}\\nnext\\t'],
    ['żółć 漢字 👍', 'żółć 漢字 👍'],
    // Looks like a space, and like nothing.
    ['rm\u2800-rf', 'rm\\u{2800}-rf'],
    ['a\u{3fffe}', 'a\\u{3fffe}'],
    // A mark joins what is before it, such as the quote around the text, and many of them cover other lines.
    ['\u0301a\n\u0301b', '\\u{301}a\\n\\u{301}b'],
    [`a${'\u0301'.repeat(6)}`, `a${'\u0301'.repeat(4)}\\u{301}\\u{301}`],
    [`a${'\u0301\u200d'.repeat(2)}`, `a\u0301\\u{200d}\\u{301}\\u{200d}`],
    // Strikes a letter through, or encloses it.
    ['n\u0336o\u0336 a\u20e0', 'n\\u{336}o\\u{336} a\\u{20e0}'],
    [
      'cafe\u0301, Tiê\u0301ng, हिन्दी, ไทย, נִקּוּד, “oui”\u00a0?',
      'cafe\u0301, Tiê\u0301ng, हिन्दी, ไทย, נִקּוּד, “oui”\u00a0?',
    ],
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
