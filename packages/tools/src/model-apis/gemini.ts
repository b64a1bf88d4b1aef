import { isRecord } from '@mcp-fittings/client-core';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { MediaPart, Rendering } from '../results/rendering.js';
import { describeMedia } from './result-content.js';

/** A function of the Gemini API, assignable to `FunctionDeclaration` of `@google/genai`. */
export type GeminiFunctionDeclaration = {
  /** The name in function calls: {@link ModelTool.name}. */
  name: string;
  /** {@link ModelTool.description}. */
  description: string;
  /** {@link ModelTool.inputSchema}, with all names of `required` described in `properties`. */
  parametersJsonSchema: ModelSchema;
};

/**
 * Converts tools for `tools: [{ functionDeclarations }]` of the Gemini API. They use JSON Schema, not the older OpenAPI subset.
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 * @example
 * ```ts
 * const offered = tools.snapshot();
 * const config = { tools: [{ functionDeclarations: geminiFunctions(offered.tools) }] };
 * ```
 */
export function geminiFunctions(tools: readonly ModelTool[]): GeminiFunctionDeclaration[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: { ...inputSchema, ...withKnownRequired(inputSchema) },
  }));
}

/**
 * Describes every name in `required` among the `properties` next to it, and leaves both out where no object is accepted: the API
 * rejects the whole request otherwise. Neither changes which arguments are accepted.
 */
function withKnownRequired(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' || keyword === 'required') continue;
    result[keyword] = DATA_KEYWORDS.has(keyword)
      ? value
      : NAMED_KEYWORDS.has(keyword)
        ? convertNamed(value)
        : convertInner(value);
  }
  if (!mayBeObject(schema['type'])) return result;
  const { properties, required, additionalProperties } = schema;
  const known = convertNamed(properties);
  if (Array.isArray(required)) {
    // Without a description of its own, a property is what `additionalProperties` says.
    const other = isRecord(additionalProperties)
      ? convertInner(additionalProperties)
      : additionalProperties === false && !isRecord(schema['patternProperties'])
        ? { not: {} }
        : {};
    const unknown = required.filter(
      (name): name is string => typeof name === 'string' && !(isRecord(known) && Object.hasOwn(known, name)),
    );
    result['properties'] = {
      ...(isRecord(known) && known),
      ...Object.fromEntries(unknown.map((name) => [name, other])),
    };
    result['required'] = required;
  } else if (properties !== undefined) {
    result['properties'] = known;
  }
  return result;
}

const DATA_KEYWORDS = new Set(['default', 'examples', 'enum', 'const', 'type']);
/** Keywords whose members are named schemas: `required` may be a name among them. */
const NAMED_KEYWORDS = new Set(['$defs', 'patternProperties', 'dependentSchemas']);

const mayBeObject = (type: unknown): boolean =>
  type === undefined || (Array.isArray(type) ? type.includes('object') : type === 'object');

function convertNamed(members: unknown): unknown {
  if (!isRecord(members)) return members;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, convertInner(member)]));
}

function convertInner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => convertInner(each));
  return isRecord(value) ? withKnownRequired(value) : value;
}

/** A function response of the Gemini API, assignable to `FunctionResponse` of `@google/genai`. */
export type GeminiFunctionResponse = {
  /** The `id` of the function call, if it has one. */
  id?: string;
  /** The name of the function call. */
  name: string;
  /** All text of the result: `error` if the call or the tool failed. */
  response: { output: string } | { error: string };
  /** The images of the result, as base64. */
  parts: { inlineData: { mimeType: string; data: string } }[];
};

/** The media types that the API accepts in a function response. */
const GEMINI_MEDIA = new Set(['image/png', 'image/jpeg', 'image/webp']);

/**
 * Converts a result for the Gemini API. It accepts PNG, JPEG and WebP; other media are described in the text.
 * @param call The function call: its `name`, and its `id` if it has one.
 * @param options `images`: whether to send images. Default true. Models before Gemini 3 reject a request with images; pass false.
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
): GeminiFunctionResponse {
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
