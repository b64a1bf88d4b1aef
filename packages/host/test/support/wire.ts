import { onTestFinished } from 'vitest';
import type { JSONRPCMessage, JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import {
  native,
  type EngineCallbacks,
  type EngineConnectOptions,
  type EngineRequestOptions,
  type EngineSession,
} from '@mcp-fittings/host/engine';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { identity } from './calculator.js';

export type Sent = JSONRPCObject & { readonly id: number; readonly method: string };
export type Answer = (params: JSONRPCObject, id: number | string) => object | undefined;

/** A transport that passes on everything, as one of a stranger may, and its server. It validates and orders nothing. */
export class Wire implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly sent: JSONRPCMessage[] = [];
  readonly headers: unknown[] = [];
  readonly streams: AbortSignal[] = [];
  readonly answers: Readonly<Record<string, Answer>>;
  closed = 0;

  constructor(answers: Readonly<Record<string, Answer>>) {
    this.answers = answers;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage, options: Parameters<Transport['send']>[1] = {}): Promise<void> {
    this.sent.push(message);
    if (options.headers !== undefined) this.headers.push(options.headers);
    if (options.requestSignal !== undefined) this.streams.push(options.requestSignal);
    if (!('method' in message) || !('id' in message)) return;
    const { id, method, params = {} } = message;
    const answer = this.answers[method] ?? (() => ({ error: { code: -32_601, message: 'no' } }));
    const body = answer(params, id);
    if (body !== undefined) queueMicrotask(() => this.deliver({ id, ...body }));
  }

  /** Delivers any value as a message. */
  deliver(message: object): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  }

  async close(): Promise<void> {
    if (this.closed++ === 0) this.onclose?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  of(method: string): readonly Sent[] {
    return this.sent.filter((message): message is never => 'method' in message && message.method === method);
  }

  responses(): readonly unknown[] {
    return this.sent.filter((message) => !('method' in message));
  }
}

export const initialize: Answer = ({ protocolVersion }) => ({
  result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'wire', version: '1' } },
});
export const discover: Answer = () => ({
  result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
});
export const done = { result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] } };

export interface Bench {
  readonly wire: Wire;
  readonly errors: Error[];
  readonly events: string[];
  readonly connect: (options?: Partial<EngineConnectOptions>) => Promise<EngineSession>;
}

export function bench(answers: Readonly<Record<string, Answer>>, callbacks: EngineCallbacks = {}): Bench {
  const wire = new Wire(answers);
  const errors: Error[] = [];
  const events: string[] = [];
  return {
    wire,
    errors,
    events,
    async connect(options = {}) {
      const session = await native().connect(wire, {
        server: 'wire',
        client: identity,
        signal: new AbortController().signal,
        timeoutMs: 5000,
        callbacks,
        clock: createManualClock(),
        events: {
          log: ({ level }) => void events.push(`log ${level}`),
          listChanged: (kind) => void events.push(`changed ${kind}`),
          resourceUpdated: (uri) => void events.push(`updated ${uri}`),
          notification: (method) => void events.push(method),
          error: (error) => void errors.push(error),
          closed: () => void events.push('closed'),
        },
        ...options,
      });
      onTestFinished(() => session.close());
      return session;
    },
  };
}

export const old = (answers: Readonly<Record<string, Answer>> = {}, callbacks?: EngineCallbacks): Bench =>
  bench({ initialize, ...answers }, callbacks);
export const stateless = (
  answers: Readonly<Record<string, Answer>> = {},
  callbacks?: EngineCallbacks,
): Bench => bench({ 'server/discover': discover, 'tools/call': () => done, ...answers }, callbacks);
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const PATIENT = { timeoutMs: 1000 };

/** Sends `tools/call`. */
export const callTool = (
  session: EngineSession,
  name: string,
  options: EngineRequestOptions = PATIENT,
  params: JSONRPCObject = {},
): Promise<JSONRPCObject> => session.request('tools/call', { name, arguments: {}, ...params }, options);
