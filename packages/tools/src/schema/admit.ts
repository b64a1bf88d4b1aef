import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { isJsonObject, plainCopy, type JsonObject } from './plain-copy.js';
import { pointerOf } from './json-pointer.js';
import { DEFAULT_SCHEMA_LIMITS, type SchemaLimits } from './schema-limits.js';
import { subschemas, type Schema } from './subschemas.js';

/** A schema that was accepted, with what it holds. */
export interface AdmittedSchema {
  readonly schema: JsonObject;
  readonly nodes: number;
  readonly characters: number;
}

/**
 * A server's schema as plain data, once it is sure that it stays within the limits. Throws `SCHEMA_REFUSED`. A reference
 * to elsewhere is never fetched: what it stands for counts as anything.
 */
export function admitSchema(schema: unknown, limits: Partial<SchemaLimits> = {}): JsonObject {
  return admit(schema, limits).schema;
}

/** The same, with the size of the schema. */
export function admit(schema: unknown, limits: Partial<SchemaLimits> = {}): AdmittedSchema {
  const full = { ...DEFAULT_SCHEMA_LIMITS, ...limits };
  const copy = plainCopy(schema, full);
  if (copy.problem !== undefined) throw refused(`it ${copy.problem}`);
  if (!isJsonObject(copy.value)) throw refused('it is not an object');
  inspect(copy.value, [], full);
  return { schema: copy.value, nodes: copy.nodes, characters: copy.characters };
}

function inspect(schema: Schema, path: readonly string[], limits: SchemaLimits): void {
  if (typeof schema === 'boolean') return;
  checkLength(schema, 'enum', limits.maxEnum, path);
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) checkLength(schema, keyword, limits.maxBranches, path);
  for (const [step, inner] of subschemas(schema)) inspect(inner, [...path, ...step], limits);
}

function checkLength(schema: JsonObject, keyword: string, most: number, path: readonly string[]): void {
  const value = schema[keyword];
  if (Array.isArray(value) && value.length > most) {
    throw refused(`its ${keyword} at "${show(pointerOf(path))}" has more than ${most} elements`);
  }
}

/** The schema's own URI: a reference that begins with it stays inside. */
export function ownIdOf(root: JsonObject): string {
  const id = root['$id'] ?? root['id'];
  return typeof id === 'string' ? id.replace(/#.*$/s, '') : '';
}

/** What follows the `#` of a reference into the schema itself; undefined for a reference to elsewhere. */
export function fragmentOf(reference: string, ownId: string): string | undefined {
  if (reference.startsWith('#')) return reference.slice(1);
  if (ownId === '') return undefined;
  if (reference === ownId) return '';
  return reference.startsWith(`${ownId}#`) ? reference.slice(ownId.length + 1) : undefined;
}

const show = (text: string): string => sanitizeText(text, { maxLength: 120 });

function refused(why: string): FittingsError {
  return new FittingsError('SCHEMA_REFUSED', `The schema is refused: ${why}.`, {
    hint: 'The tool can not be offered to a model; its author has to change the schema.',
  });
}
