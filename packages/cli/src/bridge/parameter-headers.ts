import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  type ParameterHeader,
  parameterHeaders,
  parameterText,
} from '@mcp-fittings/toolbox/parameter-headers';

/**
 * Adds the `Mcp-Param-*` headers to tool calls. HTTP requires some arguments in headers too, and a client of another
 * transport does not send them, so the bridge learns them from the server's list of tools.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export interface ParameterHeaders {
  /** Reads the annotations of a `tools/list` result. */
  learn(result: JSONRPCObject): void;
  /** Returns the headers of a tool call. */
  headersOf(params: JSONRPCObject | undefined): Readonly<Record<string, string>>;
}

const MOST_TOOLS = 10_000;

export function createParameterHeaders(): ParameterHeaders {
  const byTool = new Map<string, readonly ParameterHeader[]>();
  return {
    learn({ tools }) {
      for (const tool of Array.isArray(tools) ? tools : []) {
        if (!isRecord(tool) || typeof tool['name'] !== 'string') continue;
        const { name, inputSchema } = tool;
        const found = parameterHeaders(inputSchema);
        if (found.length === 0) byTool.delete(name);
        else if (byTool.size < MOST_TOOLS) byTool.set(name, found);
      }
    },
    headersOf(params) {
      const name = params?.['name'];
      const mirrored = typeof name === 'string' ? (byTool.get(name) ?? []) : [];
      return Object.fromEntries(
        mirrored.flatMap((each) => {
          const text = parameterText(params?.['arguments'], each);
          return text === undefined ? [] : [[each.header, text]];
        }),
      );
    },
  };
}
