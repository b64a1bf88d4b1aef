import { createServer } from 'node:http';
import type { Transport } from '@mcp-fittings/client-core';
import {
  createWebSocketServer,
  type WebSocketServer,
  type WebSocketServerOptions,
} from '@mcp-fittings/transport-ws/server';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { listen, type Listening } from './net.js';

export const TOKEN = 'a-token-of-enough-length';

export interface AttachedServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly sockets: WebSocketServer;
  readonly listening: Listening;
}

/** Our `./server` on a real `http.Server`. */
export async function startServer(options: Partial<WebSocketServerOptions> = {}): Promise<AttachedServer> {
  const server = options.server ?? createServer();
  const sockets = createWebSocketServer({
    server,
    closeTimeoutMs: 200,
    onConnection: () => undefined,
    ...(options.authenticate === undefined && options.allowedOrigins === undefined && { token: TOKEN }),
    ...options,
  });
  const listening = await listen(server, { bare: true });
  return {
    url: `ws://127.0.0.1:${listening.port}/mcp`,
    port: listening.port,
    sockets,
    listening,
    async [Symbol.asyncDispose]() {
      await sockets.close();
      await listening[Symbol.asyncDispose]();
    },
  };
}

/** A server of SDK v1 with a tool that reports progress. */
export async function serveV1(transport: Transport): Promise<void> {
  const server = new McpServerV1({ name: 'v1', version: '1.0.0' });
  server.registerTool(
    'count',
    { inputSchema: { to: z.number() } },
    async ({ to }, { _meta, sendNotification }) => {
      for (let progress = 1; progress <= to; progress++) {
        const progressToken = _meta?.progressToken;
        if (progressToken === undefined) continue;
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
      }
      return { content: [{ type: 'text', text: `counted to ${to}` }] };
    },
  );
  await server.connect(transport);
}

/** The same of SDK v2, in the era of `initialize`. */
export async function serveV2(transport: Transport): Promise<void> {
  await makeV2().connect(transport);
}

/** Of SDK v2, in whichever era the client opens. */
export function serveBothEras(transport: Transport): void {
  serveStdio(makeV2, { transport });
}

function makeV2(): McpServerV2 {
  const server = new McpServerV2({ name: 'v2', version: '1.0.0' });
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
    for (let progress = 1; progress <= to; progress++) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) continue;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return { content: [{ type: 'text', text: `counted to ${to}` }] };
  });
  return server;
}
