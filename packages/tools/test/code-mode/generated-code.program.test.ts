/** What is generated for tools compiles, under strict options with two compilers. All in one run of each, which takes seconds. */
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { generateClient, generateTypes, toTypeScript } from '../../src/code-mode.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';
import { complaintsAbout } from '../support/compile.js';
import { hostileTool } from '../support/hostile-tools.js';

type Files = Readonly<Record<string, string>>;
const SEED = 24;

/** For tools whose every name, value and description is hostile. */
function hostileTexts(): Files {
  const samples = fc.sample(fc.array(hostileTool, { minLength: 1, maxLength: 6 }), {
    numRuns: 30,
    seed: SEED,
  });
  return Object.fromEntries(
    samples.flatMap((tools, index) => {
      const [server = ''] = tools.map((each) => each.server);
      const caller = (['host', 'sdk', 'sdk-v2'] as const)[index % 3];
      return [
        [`types-${index}.ts`, generateTypes(tools, { server }).text],
        [`client-${index}.ts`, generateClient(tools, { server, caller }).text],
        // As a module, because the variables of thirty toolsets would meet.
        [`declared-${index}.ts`, `${toTypeScript(tools).declarations}export {};\n`],
      ];
    }),
  );
}

const branches = (count: number, of: string) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'object',
    properties: { [`${of}${n}`]: {} },
    required: [`${of}${n}`],
  }));
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const definitions = (count: number, schema: (n: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, schema(n)]));

const SCHEMAS: Readonly<Record<string, Record<string, unknown>>> = {
  'unions that multiply': { allOf: ['a', 'b', 'c', 'd'].map((of) => ({ anyOf: branches(60, of) })) },
  'unions that multiply through references': {
    allOf: ['d0', 'd1', 'd2', 'd3'].map(ref),
    $defs: definitions(4, (n) => ({ anyOf: branches(60, `x${n}`) })),
  },
  'names that double': {
    ...ref('d0'),
    $defs: definitions(60, (n) => ({
      allOf: [{ anyOf: branches(2, `y${n}`) }, ...(n < 59 ? [ref(`d${n + 1}`)] : [])],
    })),
  },
  'a chain of references': {
    ...ref('d0'),
    $defs: definitions(2_000, (n) => (n < 1_999 ? ref(`d${n + 1}`) : {})),
  },
  'references in a circle': {
    ...ref('d0'),
    $defs: definitions(3, (n) => ({ anyOf: [ref(`d${(n + 1) % 3}`), { type: 'string' }] })),
  },
  'the root itself': { anyOf: [{ $ref: '#' }, { type: 'object', properties: { a: { $ref: '#' } } }] },
  'recursive through an index': { additionalProperties: { $ref: '#' } },
  'recursive through a tuple': {
    type: 'object',
    properties: { a: ref('d0') },
    $defs: { d0: { type: 'array', prefixItems: [ref('d0')], items: ref('d0') } },
  },
  'a long enum': {
    type: 'object',
    properties: { a: { enum: Array.from({ length: 5_000 }, (_, n) => `value ${n}`) } },
  },
  'two long enums': {
    type: 'object',
    properties: {
      a: { allOf: [0, 2_500].map((from) => ({ enum: Array.from({ length: 5_000 }, (_, n) => n + from) })) },
    },
  },
  'a long tuple': {
    type: 'object',
    properties: { a: { type: 'array', prefixItems: Array.from({ length: 5_000 }, () => ({})) } },
  },
  'many properties': {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`p${n}`, { type: 'string' }])),
  },
  'numbers of every size': {
    type: 'object',
    properties: { a: { enum: [1e21, -1e-7, 2 ** 53 + 2, -0, 1.5, Number.MAX_VALUE] } },
  },
};

function hostileSchemas(): Files {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema], index) => [
      `hostile-${index}.ts`,
      generateTypes([{ server: 's', name, inputSchema: schema, outputSchema: schema }], { server: 's' }).text,
    ]),
  );
}

/** Types of generated schemas, and assignments of values that a validator accepts. */
function acceptedValues(): Files {
  const sample = fc.sample(fc.tuple(jsonSchemas, fc.array(jsonValues, { minLength: 12, maxLength: 12 })), {
    numRuns: 150,
    seed: SEED,
  });
  const cases = sample.map(([schema, values], index) => ({
    tool: { server: 's', name: `t${index}`, inputSchema: schema, outputSchema: schema },
    values: values.filter((value) => isValid(schema, value)),
    objects: values.filter((value) => isPlainObject(value) && isValid(schema, value)),
  }));
  expect(cases.flatMap(({ values }) => values).length).toBeGreaterThan(200);
  expect(cases.flatMap(({ objects }) => objects).length).toBeGreaterThan(30);
  const { text, skipped } = generateTypes(
    cases.map(({ tool }) => tool),
    { server: 's' },
  );
  expect(skipped).toEqual([]);
  const lines = cases.flatMap(({ values, objects }, index) => [
    ...values.map(
      (value, n) => `export const r${index}_${n}: types.T${index}Result = ${JSON.stringify(value)};`,
    ),
    ...objects.map(
      (value, n) => `export const a${index}_${n}: types.T${index}Arguments = ${JSON.stringify(value)};`,
    ),
  ]);
  return {
    'types.ts': text,
    'values.ts': ["import type * as types from './types.js';", ...lines].join('\n'),
  };
}

let complaints: readonly string[];
let schemaTexts: readonly string[];
beforeAll(async () => {
  const schemaFiles = hostileSchemas();
  schemaTexts = Object.values(schemaFiles);
  const files = { ...hostileTexts(), ...schemaFiles, ...acceptedValues() };
  complaints = explained(await complaintsAbout(files), files);
});

it('hostile names, values and descriptions, hostile schemas, and every value that a validator accepts compile', () => {
  expect(complaints, `seed ${SEED}`).toEqual([]);
});

it('the types of hostile schemas stay short', () => {
  for (const text of schemaTexts) expect(text.length).toBeLessThan(1_000_000);
});

/** The lines that a compiler complains about, with their schema types. */
function explained(complaints: string, files: Readonly<Record<string, string>>): readonly string[] {
  return complaints
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 10)
    .map((line) => {
      const [, file = '', row = '0'] = /(\S+)\((\d+),/.exec(line) ?? [];
      const source = files[file]?.split('\n')[Number(row) - 1] ?? '';
      const [, type = ''] = /types\.(\w+)/.exec(source) ?? [];
      const declared = new RegExp(`export type ${type} =[\\s\\S]*?;\\n(?=/\\*\\*|export)`).exec(
        files['types.ts'] ?? '',
      )?.[0];
      return `${line}\n${source}\n${declared ?? ''}`;
    });
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isValid(schema: Record<string, unknown>, value: unknown): boolean {
  // In an intersection, TypeScript takes it for the constructor that every object inherits.
  if (JSON.stringify(value).includes('"constructor"')) return false;
  try {
    return new Validator(schema, '2020-12').validate(value).valid;
  } catch {
    // References that lead back to themselves overflow its stack, and patterns of generated schemas may be invalid.
    return false;
  }
}
