import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  RequestId,
  Transport,
} from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { TASKS_EXTENSION } from '@mcp-fittings/tasks';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { RpcFailure, type TaskBoard } from './task-board.js';

export interface WireServerOptions {
  readonly board: TaskBoard;
  /** `initialize`: revision 2025-11-25. `stateless`: revision 2026-07-28. */
  readonly era: 'initialize' | 'stateless';
  /** Answers a request otherwise; `undefined` leaves it to the board, `SILENCE` leaves it unanswered. */
  readonly answer?: (request: JSONRPCRequest) => JSONRPCObject | typeof SILENCE | undefined;
}

export const SILENCE = Symbol('silence');

export interface WireServer {
  /** The side of the client, not started. */
  readonly transport: Transport;
  /** Every message of the client, in order. */
  readonly received: readonly JSONRPCMessage[];
  send(message: JSONRPCMessage): Promise<void>;
  close(): Promise<void>;
}

/** A server without any library, over plain objects: it can break every rule. */
export function wireServer({ board, era, answer }: WireServerOptions): WireServer {
  const [transport, side] = createLinkedPair({ server: 'wire' });
  const received: JSONRPCMessage[] = [];
  const capabilities = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } };
  const tools = { tools: [], ttlMs: 0, cacheScope: 'private' };

  const answerOf = (request: JSONRPCRequest): JSONRPCObject | typeof SILENCE => {
    const { method, params = {} } = request;
    const special = answer?.(request);
    if (special !== undefined) return special;
    const declared = params._meta?.['io.modelcontextprotocol/clientCapabilities'];
    switch (method) {
      case 'initialize':
        if (era === 'stateless') break;
        return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'wire', version: '1' } };
      case 'server/discover':
        if (era === 'initialize') break;
        return { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' };
      case 'tools/list':
        return tools;
      case 'tools/call':
        return board.call(String(params['name']), declared);
      case 'tasks/get':
        return board.get(params['taskId'], declared);
      case 'tasks/update':
        return board.update(params['taskId'], params['inputResponses'], declared);
      case 'tasks/cancel':
        return board.cancel(params['taskId'], declared);
    }
    throw new RpcFailure(-32_601, `no ${method}`);
  };

  const reply = (id: RequestId, body: object): void => {
    // The body is a result or an error.
    side.send({ jsonrpc: '2.0', id, ...body } as JSONRPCMessage).catch(() => undefined);
  };
  side.onmessage = (message) => {
    received.push(message);
    if (!isRequest(message)) return;
    try {
      const result = answerOf(message);
      if (result === SILENCE) return;
      reply(message.id, { result: era === 'stateless' ? { resultType: 'complete', ...result } : result });
    } catch (error) {
      const failure = error instanceof RpcFailure ? error : new RpcFailure(-32_603, String(error));
      const { code, message: text, data } = failure;
      reply(message.id, { error: { code, message: text, ...(data !== undefined && { data }) } });
    }
  };
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await side.start();
    await start();
  };
  return { transport, received, send: (message) => side.send(message), close: () => side.close() };
}
