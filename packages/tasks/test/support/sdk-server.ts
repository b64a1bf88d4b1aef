import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { TASKS_EXTENSION } from '@mcp-fittings/tasks';
import { z } from 'zod';
import { RpcFailure, type TaskBoard } from './task-board.js';

export interface SdkServer extends AsyncDisposable {
  readonly url: string;
  /** Method, routing headers and authorization of each request, in order. */
  readonly requests: readonly { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Answers this many of the following requests about tasks with 503. */
  failNext(count: number): void;
}

/** A server of the revision 2026-07-28 with the extension, on the official SDK v2 over Streamable HTTP. */
export async function sdkServer(board: TaskBoard): Promise<SdkServer> {
  const requests: { method: string; headers: IncomingHttpHeaders }[] = [];
  let failing = 0;
  const handle = toNodeHandler(createMcpHandler(() => makeServer(board)));
  const listener = createServer((request, response) => {
    const method = String(request.headers['mcp-method'] ?? '');
    requests.push({ method, headers: request.headers });
    if (method.startsWith('tasks/') && failing > 0) {
      failing--;
      return void response.writeHead(503).end();
    }
    // The types of the SDK do not allow for `exactOptionalPropertyTypes`.
    void handle(request as Parameters<typeof handle>[0], response);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  // It listens on TCP.
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    failNext: (count) => void (failing = count),
    async [Symbol.asyncDispose]() {
      listener.close();
      listener.closeAllConnections();
      await once(listener, 'close');
    },
  };
}

function makeServer(board: TaskBoard): Server {
  const capabilities = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } };
  const server = new Server({ name: 'tasks', version: '1' }, { capabilities });
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  server.setRequestHandler('tools/list', () => ({
    tools: ['quick', 'render', 'tool-error', 'greet', 'think', 'fail', 'forever', 'refuse'].map(tool),
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const { name } = params;
    // The SDK passes other result types on, and has no type for them.
    return refusing(() => board.call(name, capabilitiesOf(mcpReq.envelope))) as { content: [] };
  });
  const taskParams = { params: z.object({ taskId: z.string() }) };
  server.setRequestHandler('tasks/get', taskParams, ({ taskId }, { mcpReq }) =>
    refusing(() => board.get(taskId, capabilitiesOf(mcpReq.envelope))),
  );
  server.setRequestHandler('tasks/cancel', taskParams, ({ taskId }, { mcpReq }) =>
    refusing(() => board.cancel(taskId, capabilitiesOf(mcpReq.envelope))),
  );
  // The SDK lifts `inputResponses` out of the parameters of every request.
  server.setRequestHandler('tasks/update', taskParams, ({ taskId }, { mcpReq }) =>
    refusing(() => board.update(taskId, mcpReq.inputResponses, capabilitiesOf(mcpReq.envelope))),
  );
  return server;
}

function capabilitiesOf(envelope: unknown): unknown {
  return isRecord(envelope) ? envelope['io.modelcontextprotocol/clientCapabilities'] : undefined;
}

function refusing(work: () => JSONRPCObject): JSONRPCObject {
  try {
    return work();
  } catch (error) {
    if (error instanceof RpcFailure) throw new ProtocolError(error.code, error.message, error.data);
    throw error;
  }
}
