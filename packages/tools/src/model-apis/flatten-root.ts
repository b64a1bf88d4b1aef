import { isRecord } from '@mcp-fittings/client-core';
import type { ModelSchema } from '../model-schema/model-schema.js';

const REFUSED_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * The same schema without combinations at its root, which Anthropic and OpenAI refuse there. The members of all
 * branches become members of the root, so that the model knows them; which of them go together is told by the check
 * of the arguments, which uses the whole schema.
 */
export function withFlatRoot(schema: ModelSchema): ModelSchema {
  if (!REFUSED_AT_ROOT.some((keyword) => keyword in schema)) return schema;
  const properties = { ...schema.properties };
  const required = new Set(schema.required);
  const collect = (branch: unknown, mandatory: boolean, depth: number): void => {
    const target =
      isRecord(branch) && typeof branch['$ref'] === 'string' ? definition(schema, branch['$ref']) : branch;
    if (!isRecord(target) || depth > DEEPEST) return;
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
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !REFUSED_AT_ROOT.includes(key)));
  return { ...rest, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

const DEEPEST = 8;
const OWN = { enumerable: true, configurable: true, writable: true } as const;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a reference to one of the definitions means; any other stays a reference. */
function definition(schema: ModelSchema, reference: string): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  return isRecord(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
