import { isRecord } from '@mcp-fittings/toolbox/messages';
import { printable } from '../output/printable.js';
import { type SchemaPart, itemsOf, propertyNames, propertyOf, typesOf } from './schema-types.js';

const MOST_DEPTH = 4;

/** Returns the placeholder of a value on the command line: `number`, `s|m|l`, `list of string`. */
export function valueText(schema: SchemaPart): string {
  const values = isRecord(schema.part) ? schema.part['enum'] : undefined;
  if (Array.isArray(values) && values.length > 0) return printable(values.map(String).join('|'), 120);
  const types = [...typesOf(schema)].map((type) =>
    type === 'array' ? `list of ${[...typesOf(itemsOf(schema))].join('|') || 'anything'}` : type,
  );
  return types.join('|') || 'anything';
}

/** Returns all arguments of a tool as the user types them, optional ones in brackets. */
export function usageOf(inputSchema: unknown): string {
  const root: SchemaPart = { root: inputSchema, part: inputSchema };
  const required = requiredIn(root);
  const names = propertyNames(root);
  return [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ]
    .map((name) => {
      const text = argumentText(name, propertyOf(root, name) ?? { root: inputSchema, part: {} });
      return required.includes(name) ? text : `[${text}]`;
    })
    .join(' ');
}

/**
 * Returns the required arguments that are missing, as the user types them: `--arg b=<number>`, `--arg
 * address.zip=<string>`.
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
  return `--arg ${printable(name)}=<${valueText(property)}>`;
}

function requiredIn({ part }: SchemaPart): readonly string[] {
  const required = isRecord(part) ? part['required'] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
