import fc from 'fast-check';

export type Schema = Readonly<Record<string, unknown>> | boolean;

const NAMES = ['a', 'b', 'ab', '__proto__', 'constructor'];
const TEXTS = ['', 'a', 'ab', 'abc', '1', 'aé', '💩', '💩💩', 'a💩'];
const NUMBERS = [0, 1, -1, 2, 1.5, 3, 0.1, 1e20, 12.5];
const PATTERNS = ['^a', 'b$', '^[a-z]+$', '^(a|b)*$', '^(a+)+$', '.', '^.$', '\\d'];
const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

const name = fc.constantFrom(...NAMES);
const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(...NUMBERS);

/** Objects as JSON.parse creates them, in which `__proto__` is a member. */
function record<Value>(
  values: fc.Arbitrary<Value>,
  keys: fc.Arbitrary<string> = name,
): fc.Arbitrary<Record<string, Value>> {
  return fc
    .uniqueArray(fc.tuple(keys, values), { maxLength: 3, selector: ([key]) => key })
    .map((members) => Object.fromEntries(members));
}

/** Values made of the same few names, strings and numbers as the schemas, so that many of them are valid. */
export const jsonValues: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.constantFrom(...TEXTS), number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    record(tie('value')),
  ),
})).value;

const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => {
  const inner = tie('schema');
  const branches = fc.array(inner, { minLength: 1, maxLength: 3 });
  const type = fc.constantFrom(...TYPES);
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(jsonValues, { minLength: 1, maxLength: 3, selector: (v) => JSON.stringify(v) }),
    const: jsonValues,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom(...PATTERNS),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    items: inner,
    prefixItems: branches,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    contains: inner,
    minContains: count,
    maxContains: count,
    properties: record(inner),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: inner,
    patternProperties: record(inner, fc.constantFrom('^a', 'b$', '^(a+)+$')),
    propertyNames: inner,
    minProperties: count,
    maxProperties: count,
    dependentRequired: record(fc.uniqueArray(name, { maxLength: 2 })),
    dependentSchemas: record(inner),
    anyOf: branches,
    oneOf: branches,
    allOf: branches,
    not: inner,
    if: inner,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: inner,
    unevaluatedProperties: inner,
    unevaluatedItems: inner,
    $ref: fc.constantFrom('#', '#/$defs/x', '#/$defs/y'),
    format: fc.constantFrom('email', 'date'),
    default: jsonValues,
    description: fc.constant('text'),
  };
  const keyword = fc.oneof(
    ...Object.entries(keywords).map(([key, value]) => value.map((it): [string, unknown] => [key, it])),
  );
  const few = fc.array(keyword, { minLength: 1, maxLength: 4 }).map((some) => Object.fromEntries(some));
  return {
    schema: fc.oneof(
      { depthSize: 'small' },
      { arbitrary: fc.boolean(), weight: 1 },
      { arbitrary: few, weight: 4 },
    ),
  };
}).schema;

/** Schemas of 2020-12 with every keyword that is converted or reported, and references to two definitions and the root. */
export const jsonSchemas: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    schemas.filter((schema) => typeof schema === 'object'),
    schemas,
    schemas,
  )
  .map(([root, x, y]) => ({ ...(root as object), $defs: { x, y } }));
