import fc from 'fast-check';
import { applyEdits as apply, parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { applyChanges, diffValues } from '../src/jsonc/apply-changes.js';
import { removeValue, setValue, type TextEdit } from '../src/jsonc/edit-document.js';
import type { JsonObject, JsonValue } from '../src/jsonc/json-value.js';
import { parseDocument, type JsonDocument } from '../src/jsonc/parse-document.js';

const documentOf = (text: string): JsonDocument => {
  const parsed = parseDocument(text, 'f');
  if ('problem' in parsed) throw new Error(`${parsed.problem.message} ${JSON.stringify(text)}`);
  return parsed.document;
};
const applyEdits = (text: string, edits: readonly TextEdit[]): string => apply(text, [...edits]);
const set = (text: string, keys: string[], value: JsonValue): string =>
  applyEdits(text, setValue(documentOf(text), keys, value) ?? []);
const remove = (text: string, keys: string[]): string =>
  applyEdits(text, removeValue(documentOf(text), keys));

/** Whitespace and comments as in handwritten files. */
const trivia = fc
  .array(fc.constantFrom(' ', '\n', '  ', '\t', '\r\n', '/* c */', '// line , { " }\n', '/* , } */', ''), {
    maxLength: 3,
  })
  .map((parts) => parts.join(''));
const key = fc.constantFrom('a', 'b', 'mcpServers', 'x y', 'ü', '"', '\\', '//', '');
const scalar = fc.oneof(
  fc.constantFrom('s', 'a, b', '}', '/* no */', '// no', 'line\nfeed', '"'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

/** A value in one of its possible notations, and its meaning. */
interface Written {
  readonly value: JsonValue;
  readonly text: string;
}
const written: fc.Arbitrary<Written> = fc.letrec<{ value: Written; object: Written }>((tie) => ({
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(key, tie('value'), trivia, trivia, trivia, trivia), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
      trivia,
      fc.boolean(),
    )
    .map(([members, end, trailing]) => {
      const texts = members.map(
        ([name, { text }, before, afterKey, beforeValue, after]) =>
          `${before}${JSON.stringify(name)}${afterKey}:${beforeValue}${text}${after}`,
      );
      const comma = trailing && texts.length > 0 ? ',' : '';
      return {
        value: Object.fromEntries(members.map(([name, member]) => [name, member.value])),
        text: `{${texts.join(',')}${comma}${end}}`,
      };
    }),
  value: fc.oneof(
    { maxDepth: 3 },
    scalar.map((value) => ({ value, text: JSON.stringify(value) })),
    fc.array(tie('value'), { maxLength: 3 }).map((elements) => ({
      value: elements.map(({ value }) => value),
      text: `[${elements.map(({ text }) => text).join(',')}]`,
    })),
    tie('object'),
  ),
})).object;
const file = fc
  .tuple(trivia, written, trivia)
  .map(([before, { value, text }, after]) => ({ value: value as JsonObject, text: before + text + after }));
const plain = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const options = { numRuns: rounds(600) };

/** Everything that the edits remove from a text. */
const taken = (text: string, edits: readonly TextEdit[]): string =>
  edits.map(({ offset, length }) => text.slice(offset, offset + length)).join('');
/** The text without the edited ranges, which must be the same before and after. */
const untouched = (text: string, edits: readonly TextEdit[], after: boolean): string => {
  let rest = '';
  let at = 0;
  let shift = 0;
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset)) {
    rest += text.slice(at, offset + shift);
    at = offset + shift + (after ? content.length : length);
    if (after) shift += content.length - length;
  }
  return rest + text.slice(at);
};

describe('round trip: the result is the old text plus the edit', () => {
  it('sets a member', () => {
    fc.assert(
      fc.property(file, key, plain, ({ value, text }, name, added) => {
        const edits = setValue(documentOf(text), [name], added) ?? [];
        const result = applyEdits(text, edits);
        expect(parse(result)).toEqual({ ...value, [name]: added });
        expect(documentOf(result).root).toBeDefined();
        // Only the old value is removed; all other bytes are the same.
        expect(untouched(result, edits, true)).toBe(untouched(text, edits, false));
        if (!Object.hasOwn(value, name)) expect(taken(text, edits)).toBe('');
      }),
      options,
    );
  });

  it('removes a member with one comma and whitespace, and keeps every comment', () => {
    fc.assert(
      fc.property(
        file.filter(({ value }) => Object.keys(value).length > 0),
        fc.nat(),
        ({ value, text }, choice) => {
          const names = Object.keys(value);
          const name = names[choice % names.length]!;
          const document = documentOf(text);
          const property = document.root!.children![choice % names.length]!;
          const edits = removeValue(document, [name]);
          const result = applyEdits(text, edits);
          const { [name]: _, ...rest } = value;
          expect(parse(result)).toEqual(rest);
          expect(documentOf(result).root).toBeDefined();
          const member = text.slice(property.offset, property.offset + property.length);
          expect(taken(text, edits).replace(member, '')).toMatch(/^\s*,?\s*,?\s*$/);
        },
      ),
      options,
    );
  });

  it('turns any value into any other with the fewest changes', () => {
    fc.assert(
      fc.property(file, fc.dictionary(key, plain, { maxKeys: 4 }), ({ value, text }, wanted) => {
        const result = applyChanges(text, 'f', diffValues(value, wanted, []));
        expect(parse(result ?? '')).toEqual(wanted);
      }),
      options,
    );
  });

  it('leaves the text alone if nothing changes', () => {
    fc.assert(
      fc.property(file, ({ value, text }) => {
        expect(applyChanges(text, 'f', diffValues(value, value, []))).toBe(text);
      }),
    );
  });
});

describe('formats edits like handwritten JSON', () => {
  const two = '{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n';

  it('adds a server in the indentation of the file', () => {
    expect(set(two, ['mcpServers', 'b'], { command: 'y', args: ['-y', 'z'], env: {} })).toBe(
      '{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    },\n    "b": {\n      "command": "y",\n      "args": ["-y", "z"],\n      "env": {}\n    }\n  }\n}\n',
    );
    const tabs = two.replaceAll('  ', '\t').replaceAll('\n', '\r\n');
    expect(set(tabs, ['mcpServers', 'b'], { command: 'y' })).toBe(
      '{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"command": "x"\r\n\t\t},\r\n\t\t"b": {\r\n\t\t\t"command": "y"\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  it('removes it again, with the same text as before', () => {
    const more = set(two, ['mcpServers', 'b'], { command: 'y' });
    expect(remove(more, ['mcpServers', 'b'])).toBe(two);
    expect(remove(more, ['mcpServers', 'a'])).toBe(two.replace('"a"', '"b"').replace('"x"', '"y"'));
  });

  it.each([
    ['', '{\n  "m": {\n    "s": 1\n  }\n}\n'],
    ['{}', '{\n  "m": {\n    "s": 1\n  }\n}'],
    ['{ }\n', '{\n  "m": {\n    "s": 1\n  }\n }\n'],
    ['// mine\n', '// mine\n{\n  "m": {\n    "s": 1\n  }\n}\n'],
    ['{"k":1}', '{"k":1,"m": { "s": 1 }}'],
    ['{ "k": 1, }', '{ "k": 1, "m": { "s": 1 }, }'],
    ['{\n  "k": 1 // one\n  // two\n}', '{\n  "k": 1, // one\n  // two\n  "m": {\n    "s": 1\n  }\n}'],
    ['{\n  "k": 1,\n}', '{\n  "k": 1,\n  "m": {\n    "s": 1\n  },\n}'],
    ['{ "m": null }', '{ "m": {\n  "s": 1\n} }'],
    ['{\n    "m": {}\n}', '{\n    "m": {\n        "s": 1\n    }\n}'],
    ['{\n    "m": { "s": "x" }\n}', '{\n    "m": { "s": 1 }\n}'],
  ])('inserts into %j', (text, result) => {
    expect(set(text, ['m', 's'], 1)).toBe(result);
  });

  it.each([
    ['{ "a": 1, "s": 2, "b": 3 }', '{ "a": 1, "b": 3 }'],
    ['{ "s": 2, "b": 3 }', '{ "b": 3 }'],
    ['{ "a": 1, "s": 2 }', '{ "a": 1 }'],
    ['{ "s": 2 }', '{ }'],
    ['{ "a": 1, "s": 2, }', '{ "a": 1, }'],
    ['{\n  "a": 1, // one\n  "s": 2, // two\n  "b": 3\n}', '{\n  "a": 1, // one\n  // two\n  "b": 3\n}'],
    ['{\n  "a": 1, // one\n  // about s\n  "s": 2\n}', '{\n  "a": 1 // one\n  // about s\n}'],
    ['{\n  "s": 2\n}', '{\n}'],
  ])('removes from %j', (text, result) => {
    expect(remove(text, ['s'])).toBe(result);
  });

  it('refuses a path through a value that is not an object', () => {
    expect(setValue(documentOf('{"mcpServers": []}'), ['mcpServers', 's'], 1)).toBeUndefined();
    expect(setValue(documentOf('[]'), ['s'], 1)).toBeUndefined();
    expect(removeValue(documentOf('{"a": 1}'), ['b', 'c'])).toEqual([]);
  });
});
