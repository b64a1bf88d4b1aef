import { isRecord } from '@mcp-fittings/toolbox/messages';
import { printable } from '../output/printable.js';
import { type SchemaPart, itemsOf, propertyNames, propertyOf, typesOf } from './schema-types.js';

const MOST_DEPTH = 4;
const LONGEST_SIGNATURE = 60;
const LONGEST_TYPE = 24;

/** Returns the placeholder of a value on the command line: `number`, `s|m|l`, `string[]`. */
export function valueText(schema: SchemaPart): string {
  const values = isRecord(schema.part) ? schema.part['enum'] : undefined;
  if (Array.isArray(values) && values.length > 0) return printable(values.map(String).join('|'), 120);
  const types = [...typesOf(schema)].map((type) =>
    type === 'array' ? `${[...typesOf(itemsOf(schema))].join('|') || 'anything'}[]` : type,
  );
  return types.join('|') || 'anything';
}

interface Parameter {
  readonly name: string;
  readonly schema: SchemaPart;
  readonly isRequired: boolean;
}

/** Returns the arguments of a tool, required ones first. */
export function parametersOf(inputSchema: unknown): readonly Parameter[] {
  const root: SchemaPart = { root: inputSchema, part: inputSchema };
  const required = requiredIn(root);
  const parameters = propertyNames(root).map((name) => ({
    name,
    schema: propertyOf(root, name) ?? { root: inputSchema, part: {} },
    isRequired: required.includes(name),
  }));
  return parameters.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** Returns the type of a value for a signature, without choices that make it long. */
function typeText(schema: SchemaPart): string {
  const text = valueText(schema);
  return text.length <= LONGEST_TYPE ? text : [...typesOf(schema)].join('|') || 'anything';
}

/** Returns all arguments of a tool as the user types them, optional ones in brackets. */
export function usageOf(inputSchema: unknown): string {
  return parametersOf(inputSchema)
    .map(({ name, schema, isRequired }) => {
      const text = argumentText(name, schema);
      return isRequired ? text : `[${text}]`;
    })
    .join(' ');
}

/** Returns the arguments that a tool needs, as the user types them. */
export function requiredUsageOf(inputSchema: unknown): string {
  return parametersOf(inputSchema)
    .filter(({ isRequired }) => isRequired)
    .map(({ name, schema }) => argumentText(name, schema))
    .join(' ');
}

/** Returns `tool(name: string, n?: number)`, with `…` in place of parameters that make it too long. */
export function signatureOf(tool: string, inputSchema: unknown): string {
  let text = `${printable(tool)}(`;
  for (const [index, { name, schema, isRequired }] of parametersOf(inputSchema).entries()) {
    const part = `${index === 0 ? '' : ', '}${printable(name)}${isRequired ? '' : '?'}: ${typeText(schema)}`;
    if (text.length + part.length > LONGEST_SIGNATURE) return `${text}${index === 0 ? '' : ', '}…)`;
    text += part;
  }
  return `${text})`;
}

/**
 * Returns the required arguments that are missing, as the user types them: `b=<number>`, `address.zip=<string>`.
 */
export function missingArguments(
  given: Readonly<Record<string, unknown>>,
  inputSchema: unknown,
): readonly string[] {
  return [...missingIn(given, { root: inputSchema, part: inputSchema }, '')];
}

function* missingIn(
  given: Readonly<Record<string, unknown>>,
  schema: SchemaPart,
  prefix: string,
  depth = 0,
): Generator<string> {
  if (depth > MOST_DEPTH) return;
  const required = requiredIn(schema);
  for (const name of new Set([...required, ...propertyNames(schema)])) {
    const property = propertyOf(schema, name) ?? { root: schema.root, part: {} };
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && required.includes(name)) {
      // The server may fill in an argument that has a default.
      if (!(isRecord(property.part) && 'default' in property.part))
        yield argumentText(prefix + name, property);
    } else if (isRecord(value)) yield* missingIn(value, property, `${prefix}${name}.`, depth + 1);
  }
}

function argumentText(name: string, property: SchemaPart): string {
  return `${printable(name)}=<${valueText(property)}>`;
}

function requiredIn({ part }: SchemaPart): readonly string[] {
  const required = isRecord(part) ? part['required'] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
