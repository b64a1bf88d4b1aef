import { isRecord } from '@mcp-fittings/client-core';
import type { ModelSchema } from '../model-tools/model-schema.js';

const REJECTED_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * Removes combinations from the root of a schema, where Anthropic and OpenAI reject them. The properties of all branches are
 * merged into the root, so that the model knows them. The check of the arguments uses the whole schema and reports which of
 * them do not go together.
 */
export function flattenRoot(schema: ModelSchema): ModelSchema {
  if (!REJECTED_AT_ROOT.some((keyword) => keyword in schema)) return schema;
  const properties = { ...schema.properties };
  const required = new Set(schema.required);
  const collect = (branch: unknown, mandatory: boolean, depth: number): void => {
    const target =
      isRecord(branch) && typeof branch['$ref'] === 'string' ? definition(schema, branch['$ref']) : branch;
    if (!isRecord(target) || depth > MAX_DEPTH) return;
    if (isRecord(target['properties'])) {
      for (const [name, member] of Object.entries(target['properties'])) {
        if (!Object.hasOwn(properties, name))
          Object.defineProperty(properties, name, { ...OWN, value: member });
      }
    }
    if (mandatory && Array.isArray(target['required'])) {
      for (const name of target['required']) if (typeof name === 'string') required.add(name);
    }
    for (const part of listOf(target['allOf'])) collect(part, mandatory, depth + 1);
    for (const part of [...listOf(target['anyOf']), ...listOf(target['oneOf'])])
      collect(part, false, depth + 1);
  };
  collect({ ...schema, properties: {} }, true, 0);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !REJECTED_AT_ROOT.includes(key)));
  return { ...rest, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

const MAX_DEPTH = 8;
const OWN = { enumerable: true, configurable: true, writable: true } as const;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the definition that a reference points to, or undefined for any other reference. */
function definition(schema: ModelSchema, reference: string): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  return isRecord(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
