import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import { groupBy } from '../names/keys.js';
import type { SchemaDifference } from '../schema/schema-differences.js';

/** Options of the functions that convert tools for a model API. */
export interface DefinitionOptions {
  /**
   * Called for each place where the definition for this API accepts or rejects other arguments than `inputSchema` of the tool,
   * because this API refuses a keyword that others accept. `repairs` of the tool has the places that differ for every API.
   */
  readonly onDifference?:
    | ((
        difference: SchemaDifference & {
          /** The name of the tool. */
          readonly name: string;
        },
      ) => void)
    | undefined;
}

const REJECTED_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * Returns the schema of a tool without combinations at its root, where Anthropic and OpenAI reject them, and reports each. The
 * properties of all branches are merged into the root, so that the model knows them. The check of the arguments uses the whole
 * schema and reports which of them do not go together.
 */
export function flattenRoot(
  { name, inputSchema: schema }: ModelTool,
  { onDifference }: DefinitionOptions = {},
): ModelSchema {
  const rejected = REJECTED_AT_ROOT.filter((keyword) => keyword in schema);
  if (rejected.length === 0) return schema;
  for (const keyword of rejected)
    onDifference?.({ name, keyword, pointer: '', reason: 'the API accepts no combination at the root' });
  const always = new Map<string, unknown>();
  const sometimes: [name: string, member: unknown][] = [];
  const required = new Set<string>();
  const optional: unknown[] = [];
  const seen = new Set<unknown>();
  /** Collects from each part once, and from those that it adds to the list. */
  const collect = (parts: unknown[], mandatory: boolean): void => {
    for (const part of parts) {
      const target =
        isRecord(part) && typeof part['$ref'] === 'string' ? definition(schema, part['$ref']) : part;
      if (!isRecord(target) || seen.has(target)) continue;
      seen.add(target);
      const { properties } = target;
      for (const [property, member] of Object.entries(isRecord(properties) ? properties : {})) {
        if (!mandatory) sometimes.push([property, member]);
        else if (!always.has(property)) always.set(property, member);
      }
      if (mandatory)
        for (const each of listOf(target['required'])) if (typeof each === 'string') required.add(each);
      for (const each of listOf(target['allOf'])) parts.push(each);
      for (const each of listOf(target['anyOf'])) optional.push(each);
      for (const each of listOf(target['oneOf'])) optional.push(each);
    }
  };
  collect([schema], true);
  collect(optional, false);
  for (const [property, members] of groupBy(sometimes, ([each]) => each)) {
    if (always.has(property)) continue;
    const distinct = new Map(members.map(([, member]) => [JSON.stringify(member), member]));
    distinct.delete(FORBIDDEN);
    if (distinct.size === 0) continue;
    const [first] = distinct.values();
    always.set(property, distinct.size === 1 ? first : { anyOf: [...distinct.values()] });
  }
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !REJECTED_AT_ROOT.includes(key)));
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(always),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** Schema of a property that a branch does not allow. */
const FORBIDDEN = '{"not":{}}';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the definition that a reference points to, or undefined for any other reference. */
function definition(schema: ModelSchema, reference: string): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  return isRecord(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
