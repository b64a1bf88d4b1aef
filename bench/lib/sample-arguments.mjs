/** Arguments that a tool accepts, made from its schema: every property with a value that fits. */

const MAX_DEPTH = 8;
/** For a string with a pattern. */
const TEXTS = [
  'text',
  '1',
  '12345',
  '2026-11-23',
  '2026-11-23T10:00:00Z',
  '10:00',
  'someone@example.com',
  'https://example.com/page',
  'example.com',
  '123e4567-e89b-42d3-a456-426614174000',
  '0123456789abcdef01234567',
  '#ffffff',
  'EUR',
  '+4930123456',
  '/path',
];

export function sampleArguments(schema) {
  return sample(schema, schema, 0) ?? {};
}

/** @returns a value, or undefined if none is found */
function sample(schema, root, depth) {
  if (schema === undefined || schema === true) return 'text';
  if (schema === false || depth > MAX_DEPTH) return undefined;
  if (typeof schema.$ref === 'string') return sample(resolve(schema.$ref, root), root, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const { [keyword]: options, ...rest } = schema;
    if (!Array.isArray(options)) continue;
    for (const option of options.filter((each) => typeof each === 'object')) {
      const value = sample({ ...rest, ...option }, root, depth + 1);
      if (value !== undefined) return value;
    }
    return undefined;
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties !== undefined) return sampleObject(schema, root, depth);
  if (type === 'array') return sampleList(schema, root, depth);
  if (type === 'number' || type === 'integer') return sampleNumber(schema);
  if (type === 'boolean') return true;
  return type === 'null' ? null : sampleText(schema);
}

function resolve(reference, root) {
  let found = root;
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    found = found?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

function sampleObject({ properties = {} }, root, depth) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, sample(schema, root, depth + 1)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function sampleList({ items, minItems = 1 }, root, depth) {
  const element = Array.isArray(items) ? undefined : sample(items, root, depth + 1);
  return element === undefined ? [] : Array.from({ length: Math.max(1, minItems) }, () => element);
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }) {
  return minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : Math.min(1, maximum ?? 1));
}

function sampleText({ pattern, minLength = 0, maxLength = Infinity, format }) {
  if (format === 'email') return 'someone@example.com';
  if (format === 'uri') return 'https://example.com/page';
  if (format === 'date-time') return '2026-11-23T10:00:00Z';
  if (format === 'date') return '2026-11-23';
  if (format === 'uuid') return '123e4567-e89b-42d3-a456-426614174000';
  const fits = (text) =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(text));
  return [...TEXTS, 'x'.repeat(Math.min(minLength, 1000))].find(fits);
}
