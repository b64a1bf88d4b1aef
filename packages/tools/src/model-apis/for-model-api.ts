import { byteLength, readableSize } from '../results/media.js';
import type { MediaPart, RenderedPart, Rendering } from '../results/rendering.js';

const isImage = (part: MediaPart): boolean => part.type === 'image';

/** A sound or an image, for an API that does not take it. */
function told(part: MediaPart): string {
  return `[${part.mimeType}, ${readableSize(byteLength(part.data))}, not shown: this model API takes no such data]`;
}

/** Some APIs refuse results without content. */
function partsOf({ parts }: Rendering): readonly RenderedPart[] {
  return parts.length > 0 ? parts : [{ type: 'text', text: '[The tool gave no output.]' }];
}

function eachPart<Out>(
  rendering: Rendering,
  takes: (part: MediaPart) => boolean,
  text: (text: string) => Out,
  media: (part: MediaPart) => Out,
): Out[] {
  return partsOf(rendering).map((part) => {
    if (part.type === 'text') return text(part.text);
    return takes(part) ? media(part) : text(told(part));
  });
}

/** For where an API takes no media at all. */
function textOnly(rendering: Rendering): string {
  return eachPart(
    rendering,
    () => false,
    (text) => text,
    told,
  ).join('\n');
}

export type AnthropicToolResult = {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicResultBlock[];
  is_error: boolean;
};

export type AnthropicResultBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } };

export type AnthropicImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * A result for the Messages API. It refuses images in the result of a failed call: there they are named, not sent.
 * @see https://docs.anthropic.com/en/api/messages (`tool_result`)
 */
export function anthropicToolResult(toolUseId: string, rendering: Rendering): AnthropicToolResult {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    is_error: rendering.isError,
    content: eachPart<AnthropicResultBlock>(
      rendering,
      (part) => isImage(part) && !rendering.isError,
      (text) => ({ type: 'text', text }),
      ({ mimeType, data }) => ({
        type: 'image',
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the image types that are passed on are these four
        source: { type: 'base64', media_type: mimeType as AnthropicImageType, data },
      }),
    ),
  };
}

export type OpenAiFunctionOutput = {
  type: 'function_call_output';
  call_id: string;
  output: OpenAiOutputItem[];
};

export type OpenAiOutputItem =
  { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' };

/** For the Responses API. @see https://platform.openai.com/docs/api-reference/responses */
export function openAiFunctionOutput(callId: string, rendering: Rendering): OpenAiFunctionOutput {
  const output = eachPart<OpenAiOutputItem>(
    rendering,
    isImage,
    (text) => ({ type: 'input_text', text }),
    ({ mimeType, data }) => ({
      type: 'input_image',
      image_url: `data:${mimeType};base64,${data}`,
      detail: 'auto',
    }),
  );
  if (rendering.isError) output.unshift({ type: 'input_text', text: 'The call failed:' });
  return { type: 'function_call_output', call_id: callId, output };
}

export type OpenAiToolMessage = { role: 'tool'; tool_call_id: string; content: string };

/** For the Chat Completions API, whose tool messages are text only. */
export function openAiToolMessage(toolCallId: string, rendering: Rendering): OpenAiToolMessage {
  const text = textOnly(rendering);
  const content = rendering.isError ? `The call failed: ${text}` : text;
  return { role: 'tool', tool_call_id: toolCallId, content };
}

export type GeminiFunctionResponse = {
  id?: string;
  name: string;
  response: { output: string } | { error: string };
  parts: { inlineData: { mimeType: string; data: string } }[];
};

/** Media types that the API takes in a response of a function. */
const GEMINI_MEDIA = new Set(['image/png', 'image/jpeg', 'image/webp']);

/**
 * A result for the Gemini API. It takes images as PNG, JPEG and WebP; what it does not take is named in the text. `images`
 * says whether to send any, default true. Models before Gemini 3 refuse a request with images: set it to false for them.
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 */
export function geminiFunctionResponse(
  call: { readonly name: string; readonly id?: string | undefined },
  rendering: Rendering,
  { images = true }: { readonly images?: boolean | undefined } = {},
): GeminiFunctionResponse {
  const takes = ({ mimeType }: MediaPart): boolean => images && GEMINI_MEDIA.has(mimeType);
  const text = rendering.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : takes(part) ? [] : [told(part)]))
    .join('\n');
  return {
    ...(call.id !== undefined && { id: call.id }),
    name: call.name,
    response: rendering.isError ? { error: text } : { output: text },
    parts: rendering.parts.flatMap((part) =>
      part.type !== 'text' && takes(part)
        ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }]
        : [],
    ),
  };
}

/** A result as version 6 of the AI SDK takes it. */
export type AiSdkToolOutput =
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: (
        | { type: 'text'; text: string }
        | { type: 'image-data'; data: string; mediaType: string }
        | { type: 'file-data'; data: string; mediaType: string }
      )[];
    };

/** For `toModelOutput` of the AI SDK, version 6. */
export function aiSdkToolOutput(rendering: Rendering): AiSdkToolOutput {
  if (rendering.isError) return { type: 'error-text', value: textOnly(rendering) };
  return {
    type: 'content',
    value: partsOf(rendering).map((part) => {
      if (part.type === 'text') return part;
      const type = part.type === 'image' ? ('image-data' as const) : ('file-data' as const);
      return { type, data: part.data, mediaType: part.mimeType };
    }),
  };
}

/** A result as version 7 of the AI SDK takes it. */
export type AiSdk7ToolOutput =
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: (
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; data: { type: 'data'; data: string } }
      )[];
    };

/** For `toModelOutput` of the AI SDK, version 7. */
export function aiSdk7ToolOutput(rendering: Rendering): AiSdk7ToolOutput {
  if (rendering.isError) return { type: 'error-text', value: textOnly(rendering) };
  return {
    type: 'content',
    value: partsOf(rendering).map((part) =>
      part.type === 'text'
        ? part
        : { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } },
    ),
  };
}
