import type { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import { CommandError } from '../output/hints.js';
import { type SchemaPart, itemsOf, propertyNames, propertyOf, typesOf } from './schema-types.js';
import { typedValue } from './typed-value.js';

export interface GivenArguments {
  /** Arguments as the user types them: `name=value`. */
  readonly pairs: readonly string[];
  /** A JSON object with all arguments. A pair overrides the member of the same name. */
  readonly json?: string | undefined;
}

/**
 * Builds the arguments of a tool and converts each to the type in its schema. A name that is repeated makes a list;
 * `a.b=1` sets a member of an object. Throws `ARGUMENTS_INVALID`.
 */
export function buildArguments(given: GivenArguments, inputSchema: unknown): Record<string, unknown> {
  const args = startingPoint(given.json);
  const seen = new Map<string, readonly string[]>();
  for (const pair of given.pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw invalid(`"${pair}" is not in the form name=value.`);
    const name = pair.slice(0, at);
    seen.set(name, [...(seen.get(name) ?? []), pair.slice(at + 1)]);
  }
  const root = { root: inputSchema, part: inputSchema };
  for (const [name, texts] of seen) {
    const path = pathOf(name, root);
    setAt(args, path.names, valueOf(name, texts, path.schema), name);
  }
  return args;
}

function startingPoint(json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`--args is not valid JSON: ${why}.`, undefined, cause);
  }
  if (!isRecord(value)) throw invalid('--args must be a JSON object.');
  return value;
}

/** A name with dots is a path, unless the schema declares a property of that very name. */
function pathOf(
  name: string,
  root: SchemaPart,
): { readonly names: readonly string[]; readonly schema: SchemaPart } {
  const whole = propertyOf(root, name);
  if (whole !== undefined) return { names: [name], schema: whole };
  const names = name.split('.');
  let schema = root;
  for (const [depth, part] of names.entries()) {
    const property = propertyOf(schema, part);
    if (property === undefined && depth > 0 && isOpen(schema))
      return { names, schema: { root: root.root, part: {} } };
    if (property === undefined) return { names: [name], schema: unknownProperty(name, root) };
    schema = property;
  }
  return { names, schema };
}

/** Returns whether the schema permits members that it does not declare. */
function isOpen(schema: SchemaPart): boolean {
  return (
    typesOf(schema).has('object') && isRecord(schema.part) && schema.part['additionalProperties'] !== false
  );
}

/** Some tools accept members that they do not declare. But a name close to a declared one is a mistake. */
function unknownProperty(name: string, root: SchemaPart): SchemaPart {
  const near = nearestNames(name, propertyNames(root));
  const isClosed = isRecord(root.part) && root.part['additionalProperties'] === false;
  if (isClosed || near.length > 0) {
    const hint =
      near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See fittings list tools --verbose.';
    throw invalid(`The tool has no argument "${name}".`, hint);
  }
  return { root: root.root, part: {} };
}

function valueOf(name: string, texts: readonly string[], schema: SchemaPart): unknown {
  const [first = '', ...more] = texts;
  const isList = typesOf(schema).has('array');
  const whole = typedValue(first, schema);
  if (more.length === 0 && 'value' in whole && (!isList || typeof whole.value !== 'string'))
    return whole.value;
  if (isList) return texts.map((text) => checked(name, typedValue(text, itemsOf(schema))));
  if (more.length > 0)
    throw invalid(`The argument "${name}" was given ${texts.length} times, but it is not a list.`);
  return checked(name, whole);
}

function checked(name: string, read: ReturnType<typeof typedValue>): unknown {
  if ('value' in read) return read.value;
  throw invalid(`The argument "${name}" ${read.problem}.`);
}

function setAt(
  target: Record<string, unknown>,
  names: readonly string[],
  value: unknown,
  name: string,
): void {
  const [first = '', ...rest] = names;
  if (first === '__proto__') throw invalid(`An argument cannot be named "${first}".`);
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = Object.hasOwn(target, first) ? target[first] : {};
  if (!isRecord(inner)) throw invalid(`The argument "${name}" is inside a value that is not an object.`);
  target[first] = inner;
  setAt(inner, rest, value, name);
}

function invalid(message: string, hint?: string, cause?: unknown): FittingsError {
  return new CommandError('ARGUMENTS_INVALID', message, { hint, cause, delivery: 'not-sent' });
}
