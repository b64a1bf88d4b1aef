import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteText } from '../src/display-text.js';

describe('a text in quotes', () => {
  it.each([
    [String.raw`C:\tools\node.exe`, String.raw`"C:\tools\node.exe"`],
    [String.raw`d:\nodejs\x`, String.raw`"d:\nodejs\x"`],
    [String.raw`C:\Users\Jörg\OneDrive - Firma`, String.raw`"C:\Users\Jörg\OneDrive - Firma"`],
    ['C:\tools', String.raw`"C:\u{9}ools"`],
    ['C:\nodejs', String.raw`"C:\u{a}odejs"`],
    [String.raw`C:\users`, String.raw`"C:\users"`],
    [String.raw`C:\u{9}ools`, String.raw`"C:\\u{9}ools"`],
    [String.raw`\\server\share`, String.raw`"\\\\server\\share"`],
    ['say "hi"', String.raw`"say \"hi\""`],
  ])('%j is shown as %s', (text, shown) => {
    expect(quoteText(text)).toBe(shown);
  });

  it('two texts never look alike', () => {
    const part = fc.constantFrom('C', ':', '\\', '\\\\', 'n', 't', '\n', '\t', 'u{9}', 'u{a}', '"', 'x');
    const text = fc.array(part, { maxLength: 6 }).map((parts) => `C:${parts.join('')}`);
    const shown = new Map<string, string>();
    for (const each of fc.sample(text, { numRuns: 5000, seed: 1 })) {
      expect(shown.get(quoteText(each)) ?? each).toBe(each);
      shown.set(quoteText(each), each);
    }
  });
});
