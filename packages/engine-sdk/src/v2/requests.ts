import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { JSONRPCObject, StandardSchemaV1 } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ToolDefinition } from '@mcp-fittings/host';
import type { ProtocolEra } from '@mcp-fittings/host/engine';

/** Accepts any result, because the host reads it itself. */
const anyResult: StandardSchemaV1<unknown, JSONRPCObject> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-fittings',
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: 'is not an object' }] },
  },
};

/**
 * Smallest results that SDK v2 accepts for these methods from a stateless server. It validates them as a whole, whatever schema
 * it is given.
 */
export const LEAST_RESULTS: ReadonlyMap<string, JSONRPCObject> = new Map(
  Object.entries({
    'tools/list': { tools: [] },
    'prompts/list': { prompts: [] },
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates: [] },
    'tools/call': { content: [] },
    'prompts/get': { messages: [] },
    'resources/read': { contents: [] },
    'completion/complete': { completion: { values: [] } },
  }).map(([method, least]) => [method, { ...least, ttlMs: 0, cacheScope: 'private' }]),
);

/** Sends one request of any method through SDK v2. `definition` is the tool that `tools/call` calls. */
export function send(
  client: Client,
  era: ProtocolEra,
  {
    method,
    params,
    definition,
  }: { method: string; params: JSONRPCObject; definition: ToolDefinition | undefined },
  options: RequestOptions,
): Promise<JSONRPCObject> {
  return era.kind === 'stateless' && method === 'tools/call'
    ? callTool(client, params, options, definition)
    : client.request({ method, params }, anyResult, options);
}

/** Uses the client's own method, because only that mirrors arguments into headers (SEP-2243). */
async function callTool(
  client: Client,
  { name, arguments: args, _meta }: JSONRPCObject,
  options: RequestOptions,
  tool: ToolDefinition | undefined,
): Promise<JSONRPCObject> {
  const call = {
    name: String(name),
    ...(isRecord(args) && { arguments: args }),
    ...(_meta !== undefined && { _meta }),
  };
  const definition = tool && {
    name: tool.name,
    inputSchema: { ...tool.inputSchema, type: 'object' as const },
  };
  return {
    ...(await client.callTool(call, {
      ...options,
      ...(definition !== undefined && { toolDefinition: definition }),
    })),
  };
}
