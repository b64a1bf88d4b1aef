import { FittingsError } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import {
  openAiFunctionOutput,
  openAiResponsesTools,
  renderError,
  toolCallOutput,
  type LastToolEvent,
  type OpenAiResponsesTool,
  type Rendering,
  type Tools,
  type Toolset,
} from '@mcp-fittings/tools';
import type { OpenAiAgentsAdapterOptions } from './openai-agents-adapter.js';

/** A server of the host that is assignable to `MCPServer` of `@openai/agents`, for `mcpServers` of an agent. */
export interface OpenAiAgentsServer {
  /** Name of the server in the host, or `fittings` for the tools that belong to no server, such as `read_result`. */
  readonly name: string;
  /** Is true if the SDK keeps the list of tools. */
  readonly cacheToolsList: boolean;
  /** Connects the server. Rejects with a `FittingsError`, such as `AUTH_REQUIRED` until the user signs in. */
  connect(): Promise<void>;
  /** Aborts the calls of this object. The host and its connection stay; `connect()` makes the object usable again. */
  close(): Promise<void>;
  /** Returns the tools that the server has now, under the names of `createTools`. None if it is gone. */
  listTools(): Promise<
    {
      /** Name by which the model calls the tool. */
      name: string;
      /** Description for the model. */
      description: string;
      /** JSON Schema of the arguments. */
      inputSchema: {
        type: 'object';
        properties: Record<string, unknown>;
        required: string[];
        /** Always false: `true` makes the SDK convert the schema to strict mode. In the request, the SDK replaces it. */
        additionalProperties: boolean;
        [keyword: string]: unknown;
      };
    }[]
  >;
  /**
   * Calls a tool. Does not reject: a failure is content that the model can read.
   * @param meta Members to add to `_meta` of the request.
   * @param options The SDK passes `signal` from 0.14.0 on.
   */
  callTool(
    toolName: string,
    args: Record<string, unknown> | null,
    meta?: Record<string, unknown> | null,
    options?: { signal?: AbortSignal },
  ): Promise<OpenAiAgentsToolResult['content'] & Omit<OpenAiAgentsToolResult, 'content'>>;
  /** Calls a tool and returns the result as one object. The SDK calls it from 0.13.0 on, if it needs structured content or custom data. */
  callToolResult(
    toolName: string,
    args: Record<string, unknown> | null,
    meta?: Record<string, unknown> | null,
    options?: { signal?: AbortSignal },
  ): Promise<OpenAiAgentsToolResult>;
  /** Makes the SDK list the tools again in the next turn. */
  invalidateToolsCache(): Promise<void>;
}

/** The result of a call. */
export interface OpenAiAgentsToolResult {
  /** The result for the model: bounded and without control sequences. The types of the SDK 0.5.0 require `text` of every part. */
  content: {
    /** The kind of the part. */
    type: 'text' | 'image';
    /** The text, or the media type of the image. */
    text: string;
    /** The image, as a data URL. */
    image?: string;
    /** The SDK accepts other members. */
    [member: string]: unknown;
  }[];
  /** Metadata of the server. Of a failed call: `mcp-fittings/error`, with `code`, `delivery` and `hint`. */
  _meta?: Record<string, unknown>;
  /** The structured content of the server, if it is an object. */
  structuredContent?: Record<string, unknown>;
  /** Is true if the call or the tool failed. */
  isError?: boolean;
}

/** Creates the object that stands for one server of the host, or for the tools that belong to none, whose server is the empty string. */
export function createMcpServer(
  name: string,
  host: Pick<Host, 'start'>,
  tools: Tools,
  { invalidateServerToolsCache: invalidate, onEvent, timeoutMs }: OpenAiAgentsAdapterOptions,
): OpenAiAgentsServer {
  /** The tools that the model was shown last. */
  let shown: Toolset | undefined;
  let closing = new AbortController();

  const callToolResult: OpenAiAgentsServer['callToolResult'] = async (toolName, args, meta, options) => {
    const call = { server: name, toolName };
    const signals = [closing.signal, ...(options?.signal === undefined ? [] : [options.signal])];
    const toolset = shown ?? tools.snapshot();
    const ref = toolset.names.refOf(toolName);
    const event =
      ref !== undefined && ref.server !== name
        ? notOfServer(name, toolName)
        : await toolset.run(toolName, args ?? {}, {
            signal: AbortSignal.any(signals),
            timeoutMs,
            ...(meta !== undefined && meta !== null && { meta }),
            ...(onEvent !== undefined && { onEvent: (progress) => onEvent(progress, call) }),
          });
    onEvent?.(event, call);
    return toolResult(event);
  };
  return {
    name: name === '' ? 'fittings' : name,
    // The SDK keeps lists by name, and a server of the host may have this one.
    cacheToolsList: invalidate !== undefined && name !== '',
    async connect() {
      if (closing.signal.aborted) closing = new AbortController();
      if (name !== '') await host.start(name);
    },
    async close() {
      closing.abort();
    },
    async listTools() {
      shown = tools.snapshot();
      return openAiResponsesTools(shown.tools.filter(({ ref }) => ref.server === name)).map(sdkTool);
    },
    callToolResult,
    async callTool(toolName, args, meta, options) {
      const { content, ...rest } = await callToolResult(toolName, args, meta, options);
      return Object.assign(content, rest);
    },
    async invalidateToolsCache() {
      await invalidate?.(name);
    },
  };
}

/** The names are unique over all servers, but this object stands for one of them. */
function notOfServer(server: string, tool: string): LastToolEvent {
  const error = new FittingsError('TOOL_UNKNOWN', `The server "${server}" has no tool "${tool}".`, {
    server,
    delivery: 'not-sent',
  });
  return { type: 'error', error, rendering: renderError(error) };
}

function sdkTool({
  name,
  description,
  parameters,
}: OpenAiResponsesTool): Awaited<ReturnType<OpenAiAgentsServer['listTools']>>[number] {
  const { required = [] } = parameters;
  return { name, description, inputSchema: { ...parameters, required, additionalProperties: false } };
}

/** Makes the result of a call. The model gets its content; the program all of it, with a `customDataExtractor`. */
function toolResult(event: LastToolEvent): OpenAiAgentsToolResult {
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
