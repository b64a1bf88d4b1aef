/** Input schemas as servers might write them, in every draft, with keywords of other drafts and mistakes among them. */

/** @import { Random } from './random.mjs' */

const DRAFTS = [
  undefined,
  'http://json-schema.org/draft-04/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
];
const NAMES = ['a', 'b', 'kind', 'filter[x]', 'x y', 'n\u200b'];
const PLAIN_NAMES = ['a', 'b', 'kind', 'x-y'];
const TEXTS = ['', 'a', 'ab', 'A', '💩', 'x\u200by', 'x\ny'];
const NUMBERS = [0, 1, -1, 2, 5, 1.5, 0.1, 1e16, 2 ** 53];
const PATTERNS = ['^a', 'b$', '^[a-z]+$', '^.$', '\\d', '^[\\w\\-]*$'];
const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

/**
 * Every second one needs no repair, so that none can hide a difference.
 * @param {Random} random
 */
export function createSchema(random) {
  const isPlain = random.chance(0.5);
  const names = isPlain ? PLAIN_NAMES : NAMES;
  const draft = isPlain
    ? random.pick(DRAFTS.filter((each) => each === undefined || each.includes('2020')))
    : random.pick(DRAFTS);
  const isOld = draft !== undefined && /draft-0[467]/.test(draft);
  const definitions = isOld ? 'definitions' : '$defs';
  const inner = (depth) =>
    random.chance(0.08) && !isPlain && draft !== DRAFTS[1] ? random.chance(0.5) : schema(depth + 1);
  const list = (depth) => Array.from({ length: random.whole(1, 3) }, () => inner(depth));
  const map = (depth, keys = names) =>
    Object.fromEntries(random.some(keys, random.whole(1, 3)).map((name) => [name, inner(depth)]));
  const value = () => random.pick([...TEXTS, ...NUMBERS, true, null, ['a'], { a: 'a' }, { 'x y': 1 }]);
  const count = () => random.whole(0, 3);
  const scalar = {
    minLength: count,
    maxLength: count,
    pattern: () => random.pick(PATTERNS),
    minimum: () => random.pick(NUMBERS),
    maximum: () => random.pick(NUMBERS),
    exclusiveMinimum: () => (draft === DRAFTS[1] ? random.chance(0.5) : random.pick(NUMBERS)),
    multipleOf: () => random.pick([1, 2, 5, 0.5, 0.01]),
    enum: () => [...new Set([value(), value(), random.pick(TEXTS)])],
    const: value,
    default: value,
    format: () => 'email',
    description: () => 'text',
    minItems: count,
    maxItems: count,
    uniqueItems: () => true,
    minProperties: count,
    maxProperties: count,
    required: () => random.some(names, random.whole(1, 2)),
  };
  const deep = {
    items: (depth) => (isOld && random.chance(0.4) ? list(depth) : inner(depth)),
    prefixItems: list,
    additionalItems: inner,
    // Not more: Ajv accepts an empty array that has to contain something if a tuple is inside.
    contains: () => ({ type: random.pick(TYPES) }),
    properties: map,
    additionalProperties: inner,
    patternProperties: (depth) => map(depth, ['^a', 'b$', '^x']),
    propertyNames: inner,
    dependencies: (depth) => (random.chance(0.5) ? { a: ['b'] } : { a: inner(depth) }),
    dependentRequired: () => ({ a: ['b'] }),
    dependentSchemas: (depth) => ({ a: inner(depth) }),
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: inner,
    if: inner,
    then: inner,
    else: inner,
    unevaluatedProperties: inner,
    $ref: () => random.pick([...(isPlain ? [] : ['#']), `#/${definitions}/x`, `#/${definitions}/y`]),
  };
  const used = Object.keys(deep).filter(
    (keyword) => !isPlain || !['additionalItems', 'dependencies'].includes(keyword),
  );
  const schema = (depth) => {
    const made = {};
    if (random.chance(0.7)) made.type = random.chance(0.8) ? random.pick(TYPES) : random.some(TYPES, 2);
    for (let times = random.whole(0, 3); times > 0; times--) {
      const isDeep = depth < 3 && random.chance(0.5);
      const keyword = random.pick(isDeep ? used : Object.keys(scalar));
      made[keyword] = (isDeep ? deep : scalar)[keyword](depth);
    }
    if (made.prefixItems !== undefined || Array.isArray(made.items)) delete made.contains;
    if (!isPlain) return made;
    if (made.$ref !== undefined) return { $ref: made.$ref };
    if (made.prefixItems !== undefined && typeof made.items === 'boolean') delete made.items;
    if ([made.type].flat().includes('array') || made.prefixItems !== undefined)
      made.items = typeof made.items === 'object' ? made.items : {};
    return made;
  };
  const { $ref: _, ...root } = schema(0);
  return {
    ...(draft !== undefined && { $schema: draft }),
    ...root,
    type: 'object',
    properties: { ...map(0), ...root.properties },
    [definitions]: { x: schema(1), y: schema(1) },
  };
}
