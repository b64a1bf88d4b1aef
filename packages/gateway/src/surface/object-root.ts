import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/*
 * Revisions before 2026-07-28 know only objects as results of tools: the schema of any other value, and the value, become the member
 * `result` of an object.
 */

/** Returns a result of a tool for a client before 2026-07-28. */
export function asObjectRoot(result: JSONRPCObject, outputSchema: unknown): JSONRPCObject {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  const isWrapped =
    !isRecord(structuredContent) || (outputSchema !== undefined && !hasObjectRoot(outputSchema));
  return isWrapped ? { ...result, structuredContent: { result: structuredContent } } : result;
}

/** Returns the definition of a tool for a client before 2026-07-28. */
export function withObjectRoot<Tool extends { readonly outputSchema?: unknown }>(tool: Tool): Tool {
  const { outputSchema } = tool;
  if (!isRecord(outputSchema) || hasObjectRoot(outputSchema)) return tool;
  const { $schema } = outputSchema;
  return {
    ...tool,
    outputSchema: {
      ...(typeof $schema === 'string' && { $schema }),
      type: 'object',
      properties: { result: hasOwnBase(outputSchema) ? outputSchema : moved(outputSchema) },
      required: ['result'],
    },
  };
}

function hasObjectRoot(schema: unknown): boolean {
  return isRecord(schema) && schema['type'] === 'object';
}

/** References within a schema that has an `$id` do not depend on its place. */
function hasOwnBase({ $id }: Readonly<Record<string, unknown>>): boolean {
  return $id !== undefined && !(typeof $id === 'string' && $id.startsWith('#'));
}

const PLACE = '#/properties/result';
/** Keywords with values that are no schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords with names that the author of the schema has chosen. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Returns a schema with its references from its new place. */
function moved(schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => moved(each));
  if (!isRecord(schema) || (!areNames && hasOwnBase(schema))) return schema;
  const members = Object.entries(schema).map(([key, value]) => {
    if (areNames) return [key, moved(value)];
    const isReference = key === '$ref' || key === '$dynamicRef';
    if (isReference && typeof value === 'string' && /^#(?:\/|$)/.test(value))
      return [key, `${PLACE}${value.slice(1)}`];
    // Of the draft 2019-09, in which it is the root.
    if (key === '$recursiveRef' && value === '#') return ['$ref', PLACE];
    return [key, DATA.has(key) ? value : moved(value, NAMED.has(key))];
  });
  return Object.fromEntries(members);
}
