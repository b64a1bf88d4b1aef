/**
 * Compiled by `test/compat/test/types.program.test.ts` against the built declarations, with each supported TypeScript: every transport
 * is accepted by the clients of both official SDKs, and theirs have no more to them than our contract.
 */
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Client as ClientV2 } from '@modelcontextprotocol/client';
import type { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import type { Transport } from '@mcp-fittings/client-core';
import { createInProcessTransport, createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';

declare const v1: ClientV1;
declare const v2: ClientV2;
declare const contract: Transport;
declare const server: McpServerV1;
declare const serverOfV2: McpServerV2;

export async function accepted(): Promise<void> {
  const [inProcess, peer] = createLinkedPair();
  await server.connect(peer);
  await serverOfV2.connect(peer);
  const transports = [
    contract,
    inProcess,
    createInProcessTransport({ server: 'mine', createServer: () => server }),
    createInProcessTransport({ server: 'mine', createServer: async () => serverOfV2 }),
    createStdioTransport({ command: 'node' }),
    createHttpTransport({ url: 'https://example.com/mcp' }),
    createSseTransport({ url: 'https://example.com/sse' }),
    createWebSocketTransport({ url: 'wss://example.com/mcp' }),
  ] as const;
  for (const transport of transports) {
    await v1.connect(transport);
    await v2.connect(transport);
  }
}
