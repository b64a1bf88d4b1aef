import { isRecord } from '@mcp-fittings/toolbox/messages';

type Values = Readonly<Record<string, unknown>>;

/** Returns the content with the `default` of the schema for each missing member. */
export function withDefaults(schema: Values, content: Values): Record<string, unknown> {
  const complete: Record<string, unknown> = { ...content };
  for (const [name, property] of propertiesOf(schema)) {
    if (complete[name] === undefined && property['default'] !== undefined)
      complete[name] = property['default'];
  }
  return complete;
}

/**
 * Returns what does not fit the schema, one sentence per problem. The schema is the flat subset that elicitation allows:
 * strings, numbers, booleans and choices. A `pattern` is not part of it and is not run.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
export function answerProblems(schema: Values, content: Values): readonly string[] {
  const required: unknown = schema['required'];
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === 'string' && content[name] === undefined,
  );
  const wrong = propertiesOf(schema).flatMap(([name, property]) => {
    const value = content[name];
    const problem = value === undefined ? undefined : problemOf(property, value);
    return problem === undefined ? [] : [`"${name}" ${problem}`];
  });
  return [...missing.map((name) => `"${String(name)}" is missing`), ...wrong];
}

function propertiesOf(schema: Values): readonly (readonly [string, Values])[] {
  const properties = schema['properties'];
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) ? [[name, property]] : [],
  );
}

function problemOf(property: Values, value: unknown): string | undefined {
  switch (property['type']) {
    case 'string':
      return textProblem(property, value);
    case 'integer':
    case 'number':
      return numberProblem(property, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array':
      return listProblem(property, value);
    default:
      return undefined;
  }
}

function textProblem(property: Values, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  const choices = choicesOf(property);
  if (choices !== undefined) return choices.includes(value) ? undefined : 'is not one of the choices';
  const { minLength, maxLength, format } = property;
  const length = outside(Array.from(value).length, minLength, maxLength, 'have', ' characters');
  if (length !== undefined) return length;
  if (format === 'uri' && !URL.canParse(value)) return 'must be a URI';
  if (format === 'email' && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value)) return 'must be an email address';
  if (format === 'date' && !isTime(value, /^\d{4}-\d{2}-\d{2}$/)) return 'must be a date like 2026-07-28';
  if (format === 'date-time' && !isTime(value, /T/))
    return 'must be a date and time like 2026-07-28T12:00:00Z';
  return undefined;
}

function numberProblem({ type, minimum, maximum }: Values, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'must be an integer';
  return outside(value, minimum, maximum, 'be');
}

function outside(
  value: number,
  least: unknown,
  most: unknown,
  verb: 'be' | 'have',
  unit = '',
): string | undefined {
  if (typeof least === 'number' && value < least) return `must ${verb} at least ${least}${unit}`;
  return typeof most === 'number' && value > most ? `must ${verb} at most ${most}${unit}` : undefined;
}

function listProblem({ items, minItems, maxItems }: Values, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array';
  const length = outside(value.length, minItems, maxItems, 'have', ' elements');
  if (length !== undefined) return length;
  const choices = isRecord(items) ? choicesOf(items) : undefined;
  if (choices === undefined) return undefined;
  return value.every((element) => choices.includes(element))
    ? undefined
    : 'has an element that is not one of the choices';
}

/** Returns `enum`, or the `const` of each member of `oneOf` or `anyOf`. */
function choicesOf(property: Values): readonly unknown[] | undefined {
  const plain = property['enum'];
  if (Array.isArray(plain)) return plain;
  const titled = property['oneOf'] ?? property['anyOf'];
  if (!Array.isArray(titled)) return undefined;
  return titled.map((choice) => (isRecord(choice) ? choice['const'] : undefined));
}

function isTime(text: string, pattern: RegExp): boolean {
  return pattern.test(text) && !Number.isNaN(Date.parse(text));
}
