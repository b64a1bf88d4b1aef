import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { ModelTool } from '../model-tools/model-tool.js';
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
  const { always, sometimes, required } = collectProperties(schema);
  for (const [property, members] of sometimes) {
    if (always.has(property)) continue;
    const distinct = new Map(members.map((member) => [JSON.stringify(member), member]));
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

interface Collected {
  /** Properties that have this schema in any case. */
  readonly always: Map<string, unknown>;
  /** The schemas that a property has in one branch or another. */
  readonly sometimes: Map<string, unknown[]>;
  readonly required: Set<string>;
}

function collectProperties(schema: ModelSchema): Collected {
  const collected: Collected = {
    always: new Map(Object.entries(schema.properties)),
    sometimes: new Map(),
    required: new Set(schema.required),
  };
  const { always, sometimes, required } = collected;
  const collect = (branch: unknown, mandatory: boolean, depth: number): void => {
    const target =
      isRecord(branch) && typeof branch['$ref'] === 'string' ? definition(schema, branch['$ref']) : branch;
    if (!isRecord(target) || depth > MAX_DEPTH) return;
    for (const [name, member] of Object.entries(isRecord(target['properties']) ? target['properties'] : {})) {
      if (!mandatory) sometimes.set(name, [...(sometimes.get(name) ?? []), member]);
      else if (!always.has(name)) always.set(name, member);
    }
    if (mandatory)
      for (const name of listOf(target['required'])) if (typeof name === 'string') required.add(name);
    for (const part of listOf(target['allOf'])) collect(part, mandatory, depth + 1);
    for (const part of [...listOf(target['anyOf']), ...listOf(target['oneOf'])])
      collect(part, false, depth + 1);
  };
  collect({ ...schema, properties: {} }, true, 0);
  return collected;
}

const MAX_DEPTH = 8;
/** Schema of a property that a branch does not allow. */
const FORBIDDEN = '{"not":{}}';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the definition that a reference points to, or undefined for any other reference. */
function definition(schema: ModelSchema, reference: string): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  return isRecord(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
