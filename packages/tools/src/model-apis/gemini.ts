import { isRecord } from '@mcp-fittings/toolbox/messages';
import { formatPointer } from '../json/json-pointer.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { MediaPart, Rendering } from '../results/rendering.js';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../schema/subschemas.js';
import type { DefinitionOptions } from './flatten-root.js';
import { describeMedia } from './result-content.js';

/**
 * Converts tools for `tools: [{ functionDeclarations }]` of the Gemini API. They use JSON Schema, not the older OpenAPI subset.
 * Each is assignable to `FunctionDeclaration` of `@google/genai`.
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 * @example
 * ```ts
 * const offered = tools.snapshot();
 * const config = { tools: [{ functionDeclarations: geminiFunctions(offered.tools) }] };
 * ```
 */
export function geminiFunctions(
  tools: readonly ModelTool[],
  { onDifference }: DefinitionOptions = {},
): {
  /** The name in function calls: {@link ModelTool.name}. */
  name: string;
  /** {@link ModelTool.description}. */
  description: string;
  /** {@link ModelTool.inputSchema}, with all names of `required` described in `properties`. */
  parametersJsonSchema: ModelSchema;
}[] {
  return tools.map(({ name, description, inputSchema }) => {
    const report = (pointer: string): void =>
      onDifference?.({
        name,
        keyword: 'required',
        pointer,
        reason: 'the API requires a description of each name, which the schema gives in another way',
      });
    const described = describeRequired(inputSchema, { path: [], isDescribedElsewhere: false, report });
    return { name, description, parametersJsonSchema: { ...inputSchema, ...described } };
  });
}

interface Place {
  readonly path: readonly string[];
  /** True if a keyword around it counts only names that are not described. */
  readonly isDescribedElsewhere: boolean;
  readonly report: (pointer: string) => void;
}

/**
 * Describes every name in `required` among the `properties` next to it, and leaves both out where no object is accepted: the API
 * rejects the whole request otherwise. This does not change which arguments are accepted, unless it is reported.
 */
function describeRequired(
  schema: Readonly<Record<string, unknown>>,
  { path, report, ...place }: Place,
): Record<string, unknown> {
  const isDescribedElsewhere = place.isDescribedElsewhere || 'unevaluatedProperties' in schema;
  const inner = (value: unknown, ...steps: string[]): unknown =>
    isRecord(value)
      ? describeRequired(value, { path: [...path, ...steps], isDescribedElsewhere, report })
      : value;
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isRecord(value)) {
      result[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, inner(member, keyword, name)]),
      );
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
      result[keyword] = value.map((member: unknown, index) => inner(member, keyword, String(index)));
    } else {
      result[keyword] = SCHEMA_KEYWORDS.has(keyword) ? inner(value, keyword) : value;
    }
  }
  if (!mayBeObject(schema['type'])) {
    delete result['properties'];
    delete result['required'];
    return result;
  }
  const known = isRecord(result['properties']) ? result['properties'] : {};
  const unknown = namesOf(schema['required']).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return result;
  const { additionalProperties: others } = schema;
  const isDescribedHere = isRecord(others) || 'patternProperties' in schema;
  // A copy for each name, in a schema that is itself copied, would be a description without end.
  if (isDescribedElsewhere || isDescribedHere) report(formatPointer(path));
  const description = others === false && !isDescribedHere ? { not: {} } : {};
  result['properties'] = { ...known, ...Object.fromEntries(unknown.map((name) => [name, description])) };
  return result;
}

const namesOf = (required: unknown): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

const mayBeObject = (type: unknown): boolean =>
  type === undefined || (Array.isArray(type) ? type.includes('object') : type === 'object');

/** The media types that the API accepts in a function response. */
const GEMINI_MEDIA = new Set(['image/png', 'image/jpeg', 'image/webp']);

/**
 * Converts a result for the Gemini API. It accepts PNG, JPEG and WebP; other media are described in the text.
 * @param call The function call: its `name`, and its `id` if it has one.
 * @param options `images`: whether to send images. Default true. Models before Gemini 3 reject a request with images; pass false.
 * @returns a value that is assignable to `FunctionResponse` of `@google/genai`.
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 * @example
 * ```ts
 * const { rendering } = await offered.run(call.name, call.args);
 * parts.push({ functionResponse: geminiFunctionResponse({ name: call.name }, rendering) });
 * ```
 */
export function geminiFunctionResponse(
  call: { readonly name: string; readonly id?: string | undefined },
  rendering: Rendering,
  options: { readonly images?: boolean | undefined } = {},
): {
  /** The `id` of the function call, if it has one. */
  id?: string;
  /** The name of the function call. */
  name: string;
  /** All text of the result: `error` if the call or the tool failed. */
  response: { output: string } | { error: string };
  /** The images of the result, as base64. */
  parts: { inlineData: { mimeType: string; data: string } }[];
} {
  const { images = true } = options;
  const accepts = ({ mimeType }: MediaPart): boolean => images && GEMINI_MEDIA.has(mimeType);
  const text = rendering.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : accepts(part) ? [] : [describeMedia(part)]))
    .join('\n');
  return {
    ...(call.id !== undefined && { id: call.id }),
    name: call.name,
    response: rendering.isError ? { error: text } : { output: text },
    parts: rendering.parts.flatMap((part) =>
      part.type !== 'text' && accepts(part)
        ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }]
        : [],
    ),
  };
}
