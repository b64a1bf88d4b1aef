import {
  anthropicToolResult,
  anthropicTools,
  type AskedCalls,
  type ModelSchema,
  type ModelTool,
  type Rendering,
  type ToolEvent,
  type Tools,
} from '@mcp-fittings/tools';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { ClaudeAgentAdapterOptions } from './claude-agent-adapter.js';
import { sdkName, toolsOfServer } from './server-keys.js';

/** Parts that the instance of a server uses. */
export interface SdkServerDeps {
  readonly tools: Tools;
  /** Called when the SDK has listed the tools, so that it wants to know of changes, and when the connection has ended. */
  readonly onUse: (instance: McpServer, isUsed: boolean) => void;
  readonly asked: AskedCalls;
  readonly alwaysLoad: boolean | undefined;
  readonly timeoutMs: number | undefined;
  readonly onEvent: ClaudeAgentAdapterOptions['onEvent'];
}

/** Member in which Claude Code writes the id of the call. */
const TOOL_USE_ID = 'claudecode/toolUseId';
/** The most that Claude Code accepts. The results are bounded by `rendering` of the tools. */
const MAX_RESULT_CHARACTERS = 500_000;

/** Creates an MCP server in this process, with the tools of one server of the host. It can be connected once. */
export function createSdkServer(server: string, key: string, deps: SdkServerDeps): McpServer {
  const { tools, onUse, asked, alwaysLoad, timeoutMs, onEvent } = deps;
  const instance = new McpServer(
    { name: key, version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  /** The tools that the model was shown last. */
  let shown = tools.snapshot();

  instance.server.onclose = () => onUse(instance, false);
  instance.server.setRequestHandler(ListToolsRequestSchema, () => {
    shown = tools.snapshot();
    onUse(instance, true);
    const listed = [...toolsOfServer(shown, server, key)];
    return { tools: listed.map(([name, tool]) => sdkTool(name, tool, alwaysLoad)) };
  });
  instance.server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, extra): Promise<CallToolResult> => {
      const { name, arguments: args = {}, _meta: meta = {} } = params;
      const toolName = sdkName(key, name);
      const id = meta[TOOL_USE_ID];
      const call = { server, toolName, toolUseId: typeof id === 'string' ? id : undefined };
      const { progressToken } = meta;
      const report = async (event: ToolEvent): Promise<void> => {
        if (progressToken === undefined || event.type !== 'progress') return;
        const { progress, total } = event;
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, ...(total !== undefined && { total }) },
        });
      };
      const confirm = call.toolUseId === undefined ? undefined : asked.take(call.toolUseId, args);
      const modelName = toolsOfServer(shown, server, key).get(name)?.name ?? toolName;
      const event = await shown.run(modelName, args, {
        signal: extra.signal,
        timeoutMs,
        ...(confirm !== undefined && { confirm }),
        onEvent(progress) {
          onEvent?.(progress, call);
          // The connection may have ended; then nothing needs to be reported.
          report(progress).catch(() => undefined);
        },
      });
      onEvent?.(event, call);
      return toolResult(event.rendering);
    },
  );
  return instance;
}

function sdkTool(name: string, tool: ModelTool, alwaysLoad: boolean | undefined): Tool {
  const [definition] = anthropicTools([tool]);
  const { isReadOnly, isDestructive, isIdempotent, isOpenWorld } = tool.traits;
  return {
    name,
    description: tool.description,
    inputSchema: inputSchema(definition?.input_schema),
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
      openWorldHint: isOpenWorld,
    },
    _meta: {
      'anthropic/maxResultSizeChars': MAX_RESULT_CHARACTERS,
      ...(alwaysLoad !== undefined && { 'anthropic/alwaysLoad': alwaysLoad }),
    },
  };
}

/** The SDK does not accept a list with a property whose schema is `true` or `false`. The call checks the arguments anyway. */
function inputSchema(schema: ModelSchema | undefined): Tool['inputSchema'] {
  const properties = Object.entries(schema?.properties ?? {}).map(([name, property]): [string, object] => [
    name,
    typeof property === 'object' && property !== null ? property : {},
  ]);
  return { ...schema, type: 'object', properties: Object.fromEntries(properties) };
}

/** Makes the result of a call: what the Messages API accepts, with the structured content as text. */
function toolResult(rendering: Rendering): CallToolResult {
  const { content, is_error: isError } = anthropicToolResult('', rendering);
  return {
    isError,
    content: content.map((block) => {
      if (block.type === 'image')
        return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
      return { type: 'text', text: block.type === 'text' ? block.text : block.tool_name };
    }),
  };
}
