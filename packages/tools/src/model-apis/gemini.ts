import { isRecord } from '@mcp-fittings/client-core';
import type { ModelTool } from '../model-tool.js';
import type { ModelSchema } from '../model-schema/model-schema.js';

export type GeminiFunctionDeclaration = {
  name: string;
  description: string;
  parametersJsonSchema: ModelSchema;
};

/**
 * Function declarations for `tools: [{ functionDeclarations }]`, with plain JSON Schema instead of the older subset of
 * OpenAPI.
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 */
export function geminiFunctions(tools: readonly ModelTool[]): GeminiFunctionDeclaration[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: { ...inputSchema, ...withKnownNames(inputSchema) },
  }));
}

/** The API refuses a `required` that names a property which is not described next to it. */
function withKnownNames(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties, required, ...rest } = schema;
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(rest))
    result[keyword] = SCHEMALESS.has(keyword) ? value : within(value);
  if (isRecord(properties)) {
    result['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, within(each)]),
    );
  }
  if (Array.isArray(required)) {
    const known = isRecord(properties)
      ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
      : required;
    result['required'] = known;
  }
  return result;
}

const SCHEMALESS = new Set(['default', 'examples', 'enum', 'const', 'type']);

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => within(each));
  return isRecord(value) ? withKnownNames(value) : value;
}
