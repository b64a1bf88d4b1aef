import type { CallOptions, CatalogTool, ToolRef, ToolResult } from '@mcp-fittings/host';
import type { ToolHost } from '../../src/tool-host.js';

type Answer = (args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<ToolResult>;

export interface FakeHost extends ToolHost {
  readonly calls: { readonly ref: ToolRef; readonly args: Readonly<Record<string, unknown>> }[];
  catalog: readonly CatalogTool[];
}

/** The part of a host that the tools use, for faults that a real host cannot produce. */
export function fakeHost(
  catalog: readonly CatalogTool[],
  answer: Answer = () => Promise.resolve(text('done')),
): FakeHost {
  const calls: FakeHost['calls'] = [];
  return {
    calls,
    catalog,
    tools() {
      return this.catalog;
    },
    tool({ server, tool: name }) {
      return this.catalog.find((each) => each.server === server && each.name === name);
    },
    servers: () => [
      { name: 's', identity: 'identity of s' },
      { name: 'r', identity: 'identity of r' },
    ],
    callTool(ref, args = {}, options = {}) {
      calls.push({ ref, args });
      return answer(args, options);
    },
  };
}

export const text = (words: string): ToolResult => ({ content: [{ type: 'text', text: words }] });

export function tool(name: string, more: Partial<CatalogTool> = {}): CatalogTool {
  return { server: 's', name, digest: `digest of ${name}`, inputSchema: { type: 'object' }, ...more };
}
