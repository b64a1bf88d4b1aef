import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { isRecord, type StandardSchemaV1 } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ClientMethod, RequestExtras } from '../shared/methods.js';

/** Sends one request of any method through SDK v2. */
export type Send = (
  method: ClientMethod,
  params: JSONRPCObject,
  options: RequestOptions,
  extras?: RequestExtras,
) => Promise<JSONRPCObject>;

/**
 * Calls of tools go through the verb of the client: only there does it mirror arguments into headers (SEP-2243).
 */
export function requestWith(client: Client): Send {
  return async (method, params, options, extras) => {
    if (method === 'tools/call') {
      const { name, arguments: args, _meta } = params;
      const call = {
        name: String(name),
        ...(args !== undefined && { arguments: { ...args } }),
        ...(_meta !== undefined && { _meta }),
      };
      const tool = extras?.tool;
      const definition =
        tool === undefined
          ? undefined
          : { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' as const } };
      return {
        ...(await client.callTool(call, {
          ...options,
          ...(definition !== undefined && { toolDefinition: definition }),
        })),
      };
    }
    return { ...(await client.request({ method, params }, options)) };
  };
}

/** Takes any result: SDK v2 wants a schema for a method that it does not know. */
const anyResult: StandardSchemaV1<unknown, JSONRPCObject> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-fittings',
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: 'is not an object' }] },
  },
};

/** Sends a request of a method that only the caller knows. */
export async function requestOther(
  client: Client,
  method: string,
  params: JSONRPCObject,
  options: RequestOptions,
): Promise<JSONRPCObject> {
  return client.request({ method, params }, anyResult, options);
}
