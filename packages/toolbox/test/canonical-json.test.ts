import { describe, expect, it } from 'vitest';
import { canonicalJson } from '@mcp-fittings/toolbox/text';

describe('canonicalJson', () => {
  it.each([
    [
      { b: 1, a: { d: [2, { f: 3, e: 4 }], c: null } },
      { a: { c: null, d: [2, { e: 4, f: 3 }] }, b: 1 },
    ],
    [
      { '10': 1, '2': 2, x: 3 },
      { x: 3, '2': 2, '10': 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [undefined, () => 1],
    [JSON.parse('{"__proto__":1,"a":2}'), JSON.parse('{"a":2,"__proto__":1}')],
  ])('is the same for %j and %j', (a: unknown, b: unknown) => {
    expect(canonicalJson(a)).toBe(canonicalJson(b));
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [JSON.parse('{"__proto__":1}'), {}],
    [null, undefined],
    ['1', 1],
  ])('differs for %j and %j', (a: unknown, b: unknown) => {
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
  });
});
