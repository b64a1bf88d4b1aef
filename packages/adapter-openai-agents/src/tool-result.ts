import {
  openAiFunctionOutput,
  toolCallOutput,
  type LastToolEvent,
  type Rendering,
} from '@mcp-fittings/tools';
import type { OpenAiAgentsToolResult } from './mcp-server.js';

/** Makes the result of a call. The model gets its content; the program all of it, with a `customDataExtractor`. */
export function toolResult(event: LastToolEvent): OpenAiAgentsToolResult {
  const { isError } = event.rendering;
  const content = contentOf(event.rendering);
  if (event.type === 'result') {
    const { structuredContent, _meta } = event.result;
    return {
      content,
      ...(_meta !== undefined && { _meta }),
      ...(isRecord(structuredContent) && { structuredContent }),
      isError,
    };
  }
  return {
    content,
    _meta: { 'mcp-fittings/error': toolCallOutput(event).error },
    isError,
  };
}

/** An item that the SDK does not know makes it send all items as one JSON text, base64 included, so there are only two kinds. */
function contentOf(rendering: Rendering): OpenAiAgentsToolResult['content'] {
  return openAiFunctionOutput('', rendering).output.map((part) =>
    part.type === 'input_text'
      ? { type: 'text', text: part.text }
      : { type: 'image', text: mediaTypeOf(part.image_url), image: part.image_url },
  );
}

const mediaTypeOf = (dataUrl: string): string => dataUrl.slice('data:'.length, dataUrl.indexOf(';'));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
