// oxlint-disable unicorn/prefer-add-event-listener -- a transport has handler properties and is not an EventTarget
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  JSONRPCResponse,
  Transport,
  TransportError,
} from '@mcp-fittings/client-core';
import { isRequest, isResponse } from '@mcp-fittings/toolbox/messages';
import { sharedStdio, type SharedStdioOptions } from '@mcp-fittings/transport-shared';
import type { SharedFolder } from './shared-folder.js';

const TOY = fileURLToPath(new URL('toy-server.mjs', import.meta.url));

/** A program with a session: nothing but the transport and a handshake. */
export interface Program extends AsyncDisposable {
  readonly transport: Transport;
  readonly messages: readonly JSONRPCMessage[];
  /** Requests of the server that have arrived. They are answered with `answer`. */
  readonly asked: readonly JSONRPCRequest[];
  readonly initialized: JSONRPCResponse;
  /** Resolves with why the connection has ended. */
  readonly closed: Promise<TransportError | undefined>;
  request(method: string, params?: JSONRPCObject): Promise<JSONRPCResponse>;
  /** Calls a tool, and resolves with its text. */
  call(name: string, args?: JSONRPCObject, meta?: JSONRPCObject): Promise<string>;
  notify(method: string, params?: JSONRPCObject): Promise<void>;
  notifications(method: string): readonly JSONRPCMessage[];
}

export interface ProgramOptions extends SharedStdioOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: JSONRPCObject;
  /** What it answers requests of the server with; false: nothing. */
  readonly answer?: JSONRPCObject | false;
  readonly protocolVersion?: string;
  readonly args?: readonly string[];
}

/** File to which each toy server of the folder appends its process id. */
export const startLog = ({ folder }: SharedFolder): string => join(folder, '..', 'starts.log');

export const startedPids = (shared: SharedFolder): readonly number[] =>
  readFileSync(startLog(shared), 'utf8').trim().split('\n').map(Number);

export async function startProgram(shared: SharedFolder, options: ProgramOptions = {}): Promise<Program> {
  const {
    env = {},
    capabilities = {},
    answer = {},
    protocolVersion = '2025-11-25',
    args = [],
    ...others
  } = options;
  const plugin = sharedStdio({ ...shared, shutdown: { afterStdinEndMs: 500 }, ...others });
  const entry = {
    command: process.execPath,
    args: [TOY, ...args],
    env: { START_LOG: startLog(shared), ...env },
  };
  const transport = plugin.create(entry, { server: 'toy' });
  const messages: JSONRPCMessage[] = [];
  const asked: JSONRPCRequest[] = [];
  let lastId = 0;
  transport.onmessage = (message) => {
    messages.push(message);
    if (!isRequest(message)) return;
    asked.push(message);
    if (answer === false) return;
    void transport.send({ jsonrpc: '2.0', id: message.id, result: answer });
  };
  const closed = new Promise<TransportError | undefined>((resolve) => {
    transport.onclose = () => resolve(transport.closeReason);
  });
  await transport.start();

  const request = async (method: string, params: JSONRPCObject = {}): Promise<JSONRPCResponse> => {
    const id = ++lastId;
    await transport.send({ jsonrpc: '2.0', id, method, params });
    const response = messages.find((message) => isResponse(message) && message.id === id);
    if (response === undefined || !isResponse(response)) throw new Error(`${method} has no response.`);
    return response;
  };
  const notify = (method: string, params: JSONRPCObject = {}): Promise<void> =>
    transport.send({ jsonrpc: '2.0', method, params });
  const initialized = await request('initialize', {
    protocolVersion,
    capabilities,
    clientInfo: { name: 'test', version: '1' },
  });
  await notify('notifications/initialized');
  return {
    transport,
    messages,
    asked,
    initialized,
    closed,
    request,
    notify,
    async call(name, args = {}, meta) {
      const response = await request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });
      if (!('result' in response)) throw new Error(JSON.stringify(response));
      const { content } = response.result as unknown as {
        readonly content: readonly { readonly text: string }[];
      };
      return content[0]?.text ?? '';
    },
    notifications: (method) => messages.filter((message) => 'method' in message && message.method === method),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** Waits until so many calls are held by the server. */
export async function untilHeld(program: Program, count: number): Promise<void> {
  let held = -1;
  while (held !== count) held = Number(await program.call('held'));
}
