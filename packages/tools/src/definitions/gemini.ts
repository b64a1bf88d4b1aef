import type { ModelTool } from '../model-tool.js';
import type { ModelSchema } from './model-schema.js';

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
    parametersJsonSchema: inputSchema,
  }));
}
