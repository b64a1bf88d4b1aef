import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { createHost, type Host, type HostOptions } from '@mcp-fittings/host';
import type { TestServer } from './in-process.js';

export const identity = { name: 'test-host', version: '1.0.0' };

export function testHost(transports: HostOptions['transports'], options?: Partial<HostOptions>): Host {
  return createHost({ ...identity, transports, ...options });
}

/** A server on SDK v1 with two tools: `add`, read-only, and `slow`, which answers when told to. */
export function calculator(): TestServer & { readonly server: McpServer; answer(): void } {
  const server = new McpServer({ name: 'calculator', version: '1.0.0' });
  const waiting = new Set<() => void>();
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool('slow', {}, async () => {
    await new Promise<void>((resolve) => waiting.add(resolve));
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return {
    server,
    connect: (transport) => server.connect(transport as never),
    answer() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}
