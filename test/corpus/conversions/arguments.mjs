/** Arguments for a schema: some that it should accept, and many that are nearly so. */
import RandExp from 'randexp';

/** @import { Random } from './random.mjs' */

const MAX_DEPTH = 6;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'];
const TEXTS = [
  '',
  'a',
  'text',
  '2026-11-24',
  'https://example.com/a?b=c',
  'a@example.com',
  'ä💩',
  'x y',
  '7',
];
const NUMBERS = [0, 1, -1, 2, 3, 10, 100, 1.5, 0.1, 1e6];
/** Around the numbers that floating point numbers and Zod treat in a special way. */
export const LARGE_NUMBERS = [
  1e15 + 0.5,
  2e15 + 1,
  -1e15 - 0.5,
  2 ** 53,
  2 ** 53 + 2,
  1e20,
  -1e300,
  4.5e15 + 0.5,
];

/**
 * Creates a value that follows the schema where that is easy: a validator judges it later.
 * @param {Random} random
 * @param {{ least: boolean }} how `least`: required members only
 */
export function createArguments(root, random, { least }) {
  const resolve = (reference) => {
    if (!reference.startsWith('#')) return undefined;
    let at = root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      at = at?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return at;
  };
  const make = (schema, depth) => {
    if (!isObject(schema)) return random.pick(TEXTS);
    const node = combined(schema, 0);
    if (Array.isArray(node.enum) && node.enum.length > 0) return structuredClone(random.pick(node.enum));
    if (node.const !== undefined) return structuredClone(node.const);
    const types = [node.type ?? guess(node)].flat();
    const type = random.pick(types.length === 0 ? TYPES : types);
    switch (type) {
      case 'string':
        return text(node);
      case 'integer':
      case 'number':
        return number(node, type === 'integer');
      case 'boolean':
        return random.chance(0.5);
      case 'null':
        return null;
      case 'array':
        return list(node, depth);
      case 'object':
        return members(node, depth);
      default:
        return random.pick(TEXTS);
    }
  };
  /** Merges references, `allOf` and one branch of each union into the schema. */
  const combined = (schema, level) => {
    if (level > 20) return {};
    const { $ref, allOf = [], anyOf = [], oneOf = [], ...own } = schema;
    const parts = [typeof $ref === 'string' ? resolve($ref) : undefined, ...[allOf].flat()];
    for (const union of [anyOf, oneOf])
      if (Array.isArray(union) && union.length > 0) parts.push(random.pick(union));
    return parts.filter(isObject).reduce((merged, part) => merge(merged, combined(part, level + 1)), own);
  };
  const guess = (node) => {
    if (node.properties !== undefined || node.required !== undefined) return 'object';
    if (node.items !== undefined || node.prefixItems !== undefined) return 'array';
    if (node.minimum !== undefined || node.maximum !== undefined) return 'number';
    if (node.pattern !== undefined || node.minLength !== undefined) return 'string';
    return random.pick(TYPES.slice(0, 3));
  };
  const text = ({ pattern, minLength = 0, maxLength = Infinity, default: standard, examples, format }) => {
    if (typeof standard === 'string' && random.chance(0.3)) return standard;
    if (Array.isArray(examples) && examples.length > 0 && random.chance(0.5)) return random.pick(examples);
    if (typeof pattern === 'string') return matching(pattern);
    let made = format === 'date-time' ? '2026-11-24T08:00:00Z' : random.pick(TEXTS);
    while (made.length < minLength) made += random.pick(['a', 'B', '7', '-', 'é']);
    return made.slice(0, Math.min(maxLength, 10_000));
  };
  const matching = (pattern) => {
    try {
      const expression = new RandExp(pattern);
      expression.max = 12;
      expression.randInt = (from, to) => random.whole(from, to);
      return expression.gen();
    } catch {
      return random.pick(TEXTS);
    }
  };
  const number = (node, isWhole) => {
    const { minimum, maximum, multipleOf } = node;
    const low =
      minimum ?? (typeof node.exclusiveMinimum === 'number' ? node.exclusiveMinimum + 1 : undefined);
    const high =
      maximum ?? (typeof node.exclusiveMaximum === 'number' ? node.exclusiveMaximum - 1 : undefined);
    let made = random.pick([low, high, ...NUMBERS].filter((each) => typeof each === 'number'));
    made = Math.min(Math.max(made, low ?? -Infinity), high ?? Infinity);
    if (typeof multipleOf === 'number' && multipleOf > 0) made = Math.round(made / multipleOf) * multipleOf;
    return isWhole ? Math.ceil(made) : made;
  };
  const list = (node, depth) => {
    const first = Array.isArray(node.prefixItems)
      ? node.prefixItems
      : Array.isArray(node.items)
        ? node.items
        : [];
    const rest = Array.isArray(node.items) ? node.additionalItems : node.items;
    const made = first.map((item) => make(item, depth + 1));
    const count = Math.min(
      Math.max(node.minItems ?? 0, least || depth > MAX_DEPTH ? 0 : random.whole(0, 2)),
      50,
    );
    while (made.length < count && rest !== false) made.push(make(rest ?? {}, depth + 1));
    return made;
  };
  const members = (node, depth) => {
    const properties = isObject(node.properties) ? node.properties : {};
    const required = Array.isArray(node.required) ? node.required : [];
    const made = {};
    const put = (name, schema) =>
      Object.defineProperty(made, name, {
        value: make(schema, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    for (const [name, schema] of Object.entries(properties)) {
      const wanted = required.includes(name) || (!least && depth < MAX_DEPTH && random.chance(0.6));
      if (wanted && schema !== false) put(name, schema);
    }
    for (const name of required)
      if (typeof name === 'string' && !Object.hasOwn(made, name))
        put(name, isObject(node.additionalProperties) ? node.additionalProperties : {});
    if (!least && isObject(node.additionalProperties) && random.chance(0.7))
      put('any-name', node.additionalProperties);
    if (!least && isObject(node.patternProperties)) {
      for (const [pattern, schema] of Object.entries(node.patternProperties)) put(matching(pattern), schema);
    }
    return made;
  };
  return make(root, 0);
}

function merge(one, other) {
  const merged = { ...one, ...other };
  if (isObject(one.properties) && isObject(other.properties))
    merged.properties = { ...one.properties, ...other.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    merged.required = [...new Set([...one.required, ...other.required])];
  return merged;
}

/** The numbers that the keywords of a schema name: limits, around which mistakes are made. */
export function limitsOf(schema) {
  const found = new Set();
  const visit = (node, key) => {
    if (typeof node === 'number' && /^(min|max|exclusive|multipleOf)/.test(key)) found.add(node);
    if (typeof node === 'object' && node !== null)
      for (const [name, member] of Object.entries(node)) visit(member, name);
  };
  visit(schema, '');
  return [...found];
}

/**
 * Changes a value in one place: a member dropped, added or renamed, another type, a number or a length at or beyond a limit, a
 * neighbor of an enumerated value.
 * @param {Random} random
 */
export function changed(value, random, limits) {
  const copy = structuredClone({ value });
  const places = [];
  const visit = (holder, key) => {
    places.push([holder, key]);
    const inner = holder[key];
    if (typeof inner === 'object' && inner !== null)
      for (const each of Object.keys(inner)) visit(inner, each);
  };
  visit(copy, 'value');
  const [holder, key] = random.pick(places.length > 1 && random.chance(0.95) ? places.slice(1) : places);
  const before = holder[key];
  if (holder !== copy && random.chance(0.15)) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    return copy.value;
  }
  if (isObject(before) && random.chance(0.6)) {
    const [first] = Object.keys(before);
    if (first !== undefined && random.chance(0.3)) before[`${first}x`] = before[first];
    else before[random.pick(['unknown', 'x y', 'constructor', 'a\u200bb'])] = random.pick(['x', 1, null, {}]);
    return copy.value;
  }
  holder[key] = neighbor(before, random, limits);
  return copy.value;
}

function neighbor(before, random, limits) {
  const limit = random.pick(limits.length === 0 ? [1] : limits);
  const length = Math.min(Math.max(Math.round(Math.abs(limit)) + random.whole(-1, 1), 0), 3000);
  const others = [null, true, 'x', '', 0, 1.5, [], {}, [null], '7', random.pick(LARGE_NUMBERS)];
  if (random.chance(0.35)) return random.pick(others);
  if (typeof before === 'string') {
    return random.pick([
      `${before}x`,
      before.toUpperCase(),
      ` ${before}`,
      before.slice(1),
      'x'.repeat(length),
      '💩'.repeat(length),
      'long '.repeat(600),
      `${before}\n`,
      random.pick(TEXTS),
    ]);
  }
  if (typeof before === 'number') {
    return random.pick([
      limit,
      limit + 1,
      limit - 1,
      limit + 0.5,
      -before,
      before + 0.5,
      before / 3,
      ...LARGE_NUMBERS,
      String(before),
    ]);
  }
  if (Array.isArray(before)) {
    const item = before.length === 0 ? random.pick(others) : before[0];
    return random.pick([
      [],
      [item, item],
      Array.from({ length: Math.min(length, 60) }, () => item),
      [...before, random.pick(others)],
    ]);
  }
  if (typeof before === 'boolean') return random.pick([!before, String(before), 0, 1, null]);
  return random.pick(others);
}
