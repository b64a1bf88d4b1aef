import fc from 'fast-check';
import type { DescribedTool } from '../../src/code-mode.js';
import { jsonSchemas } from './arbitrary-schemas.js';

/** Texts that try to leave the comment or the literal that they are in, or to mean something to a compiler. */
const HOSTILE = [
  '*/ export const evil = 1; /*',
  '*\u200b/ *\\/',
  "'; declare const evil: 1; '",
  '`${evil}`',
  '"\\',
  "\\'",
  '\\\\',
  '\n// @ts-nocheck\n',
  '@ts-expect-error',
  '@ts-ignore',
  '/// <reference path="/etc/passwd" />',
  '{@link evil} @deprecated',
  '\r\u2028\u2029 evil()',
  '\u202e\u2066\u{e0041}\0\u001b[31m',
  '\ud800',
  '\udc00x',
  '__proto__',
  'constructor',
  'then',
  'new',
  'delete',
  'get',
  'readonly',
  '',
  ' ',
  '1',
  '-0',
  '[key: string]',
  '#private',
  'Promise',
  '検索',
  'é',
  'e\u0301',
  '𐐀',
  '💩',
  '<script>',
  'x'.repeat(300),
  'a-b',
  'a_b',
  'aB',
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE, ' ', '\n', 'a'), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const hostileSchema: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.dictionary(
      hostileText,
      fc.record({
        type: fc.constantFrom('string', 'object'),
        description: hostileText,
        default: hostileText,
      }),
    ),
    fc.array(hostileText, { minLength: 1, maxLength: 4 }),
    fc.dictionary(
      hostileText,
      fc.record({ enum: fc.array(hostileText, { minLength: 1, maxLength: 3 }), title: hostileText }),
    ),
    hostileText,
    hostileText,
  )
  .map(([properties, values, definitions, pattern, description]) => ({
    type: 'object',
    description,
    properties: {
      ...properties,
      listed: { enum: values, pattern, format: pattern, deprecated: true },
      fixed: { const: { [pattern]: [pattern] } },
      ...Object.fromEntries(
        Object.keys(definitions).map((name, index) => [`ref${index}`, { $ref: `#/$defs/${pointer(name)}` }]),
      ),
    },
    required: values,
    $defs: definitions,
  }));

const pointer = (name: string): string =>
  !/\p{Cs}/u.test(name) ? encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')) : 'broken';

/** Tools whose every text is hostile. */
export const hostileTool: fc.Arbitrary<DescribedTool> = fc.record(
  {
    server: fc.oneof(hostileText, fc.constantFrom('s', 'fetch', 'console', 'mcp')),
    name: hostileText,
    title: hostileText,
    description: hostileText,
    inputSchema: hostileSchema,
    outputSchema: fc.oneof(hostileSchema, jsonSchemas),
  },
  { requiredKeys: ['server', 'name', 'inputSchema'] },
);
