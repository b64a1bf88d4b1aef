import { isRecord } from '../messages.js';
import { sanitizeText } from '../text/sanitize-text.js';

/**
 * One field of a configuration entry: how to validate it, and its JSON Schema for editors. Transports use these few fields
 * instead of a validator library, so that installing a transport does not install one.
 */
export interface Field<T, Required extends boolean = boolean> {
  /** Returns what is wrong with a value, as the end of a sentence such as `must be text`; undefined if it is valid. */
  readonly problem: (value: unknown) => string | undefined;
  /** JSON Schema of the value. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** True if the entry must have the field. */
  readonly required: Required;
  /** Carries the type of the value; absent at run time. */
  readonly type?: T;
}

const optional = <T>(
  jsonSchema: Readonly<Record<string, unknown>>,
  problem: (value: unknown) => string | undefined,
): Field<T, false> => ({ jsonSchema, problem, required: false });

/** Makes a field required. */
export function required<T>(field: Field<T>): Field<T, true> {
  return { ...field, required: true };
}

/** Adds a description that editors show. */
export function described<T, R extends boolean>(description: string, field: Field<T, R>): Field<T, R> {
  return { ...field, jsonSchema: { ...field.jsonSchema, description } };
}

/** Accepts a string of at least `minLength` UTF-16 units, default 0. */
export function text(options: { readonly minLength?: number } = {}): Field<string, false> {
  const { minLength = 0 } = options;
  return optional({ type: 'string', ...(minLength > 0 && { minLength }) }, (value) => {
    if (typeof value !== 'string') return `must be text, not ${typeName(value)}`;
    return value.length < minLength ? 'must not be empty' : undefined;
  });
}

/** Accepts true or false. */
export function flag(): Field<boolean, false> {
  return optional({ type: 'boolean' }, (value) =>
    typeof value === 'boolean' ? undefined : `must be true or false, not ${typeName(value)}`,
  );
}

/** Accepts an integer from `min`, default 0, to `max`, default `Number.MAX_SAFE_INTEGER`. */
export function count(options: { readonly min?: number; readonly max?: number } = {}): Field<number, false> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  return optional(
    { type: 'integer', minimum: min, ...(options.max !== undefined && { maximum: max }) },
    (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
        ? undefined
        : `must be a whole number from ${min} to ${max}`,
  );
}

/** Accepts one of these values. */
export function oneOf<const Values extends readonly (string | boolean)[]>(
  ...values: Values
): Field<Values[number], false> {
  return optional({ enum: [...values] }, (value) =>
    values.some((allowed) => allowed === value)
      ? undefined
      : `must be one of ${values.map(String).join(', ')}`,
  );
}

/** Accepts an array whose elements `element` accepts. */
export function listOf<T>(element: Field<T>): Field<readonly T[], false> {
  return optional({ type: 'array', items: element.jsonSchema }, (value) => {
    if (!Array.isArray(value)) return `must be a list, not ${typeName(value)}`;
    return firstProblem(value.entries(), element, (index) => `element ${index}`);
  });
}

/** Accepts an object whose members `element` accepts, under any name. */
export function mapOf<T>(element: Field<T>): Field<Readonly<Record<string, T>>, false> {
  return optional({ type: 'object', additionalProperties: element.jsonSchema }, (value) => {
    if (!isRecord(value)) return `must be an object, not ${typeName(value)}`;
    return firstProblem(Object.entries(value), element, (key) =>
      JSON.stringify(sanitizeText(key, { maxLength: 64 })),
    );
  });
}

/** Accepts what either of the fields accepts. */
export function eitherOf<A, B>(first: Field<A>, second: Field<B>): Field<A | B, false> {
  return optional({ anyOf: [first.jsonSchema, second.jsonSchema] }, (value) => {
    const problem = first.problem(value);
    if (problem === undefined) return undefined;
    const other = second.problem(value);
    return other === undefined ? undefined : `${problem}, or ${other}`;
  });
}

function firstProblem<Key>(
  elements: Iterable<[Key, unknown]>,
  field: Field<unknown>,
  label: (key: Key) => string,
): string | undefined {
  for (const [key, element] of elements) {
    const problem = field.problem(element);
    if (problem !== undefined) return `${label(key)} ${problem}`;
  }
  return undefined;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
