import type { JSONRPCMessage, JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import type { TestServer } from './in-process.js';

/** What a scripted server does with a request: its result, an {@link RpcFailure}, or nothing at all. */
export type Answer = (params: JSONRPCObject) => unknown;

export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Leaves a request unanswered. */
export const SILENCE = Symbol('silence');

export interface ScriptedServer extends TestServer {
  /** The methods that were asked, in order. */
  readonly asked: readonly string[];
  /** Messages of the client that are not requests. */
  readonly told: readonly JSONRPCMessage[];
  notify(method: string, params?: JSONRPCObject): Promise<void>;
}

/** A server without any library, which answers with whatever a test wants: no SDK repairs or refuses it. */
export function scripted(
  answers: Readonly<Record<string, Answer>>,
  capabilities: JSONRPCObject = { tools: {}, prompts: {}, resources: {} },
): ScriptedServer {
  const asked: string[] = [];
  const told: JSONRPCMessage[] = [];
  let side: Transport | undefined;
  const all: Readonly<Record<string, Answer>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities,
      serverInfo: { name: 'scripted', version: '1' },
    }),
    'tools/list': () => ({ tools: [] }),
    'prompts/list': () => ({ prompts: [] }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    ping: () => ({}),
    ...answers,
  };
  return {
    asked,
    told,
    async notify(method, params = {}) {
      await side?.send({ jsonrpc: '2.0', method, params });
    },
    async connect(transport) {
      const mine = transport as Transport;
      side = mine;
      mine.onmessage = (message) => {
        if (!('method' in message) || !('id' in message)) return void told.push(message);
        const { id, method, params = {} } = message as { id: number; method: string; params?: JSONRPCObject };
        asked.push(method);
        const reply = (body: object): void =>
          void mine.send({ jsonrpc: '2.0', id, ...body } as JSONRPCMessage);
        void (async () => {
          try {
            const answer = all[method];
            if (answer === undefined) throw new RpcFailure(-32601, `no ${method}`);
            const result = await answer(params);
            if (result !== SILENCE) reply({ result });
          } catch (error) {
            const {
              code,
              message: text,
              data,
            } = error instanceof RpcFailure ? error : new RpcFailure(-32603, String(error));
            reply({ error: { code, message: text, ...(data !== undefined && { data }) } });
          }
        })();
      };
      await mine.start();
    },
  };
}

/** A server of 2026-07-28 only: the same, for the other era. */
export function modern(
  answers: Readonly<Record<string, Answer>>,
  capabilities: JSONRPCObject = { tools: {} },
): ScriptedServer {
  const fresh = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
  const complete =
    (answer: Answer): Answer =>
    async (params) => {
      const result = await answer(params);
      return typeof result === 'object' && result !== null ? { ...fresh, ...result } : result;
    };
  return scripted(
    {
      'tools/list': complete(() => ({ tools: [] })),
      ...Object.fromEntries(Object.entries(answers).map(([method, answer]) => [method, complete(answer)])),
      initialize: () => {
        throw new RpcFailure(-32601, 'no initialize');
      },
      'server/discover': complete(() => ({ supportedVersions: ['2026-07-28'], capabilities })),
    },
    capabilities,
  );
}
