import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Caller, Mount } from '../../src/contracts/caller.js';
import { RpcError } from '../../src/contracts/rpc-error.js';
import type { ClientConnection, ClientRequest, ClientSession, Surface } from '../../src/contracts/surface.js';
import { answerListen, type ListenEvent } from '../../src/surface/listen.js';
import { StreamPlaces } from '../../src/surface/stream-places.js';

/** A session of the test's surface. */
interface TestSession extends ClientSession {
  capabilities: JSONRPCObject | undefined;
  clientInfo: unknown;
}

/** Publishes what has changed to those who listen. */
interface TestBus {
  readonly listenerCount: number;
  publish(event: ListenEvent): void;
}

/** A surface of the test's own, so that the front doors are tested by themselves. */
export interface TestSurface extends Surface {
  /** Connections that were opened (of 2026-07-28: requests), in order. */
  readonly connections: readonly ClientConnection[];
  /** Sessions that have not ended. */
  readonly sessions: ReadonlySet<TestSession>;
  /** Calls of `wait` that have not ended. */
  readonly waiting: () => number;
  /** How many calls of `wait` were canceled. */
  readonly canceled: () => number;
  /** Ends all calls of `wait`. */
  finish(): void;
  /** Log levels and subscriptions that sessions were told, in order. */
  readonly told: readonly string[];
  /** Events of one caller at one mount. */
  bus(caller: Pick<Caller, 'id'>, mount?: Mount): TestBus;
}

const TOOLS = ['whoami', 'wait', 'big', 'ask', 'count'].map((name) => ({
  name,
  inputSchema: { type: 'object' as const, properties: {} },
}));
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};
const text = (value: string): JSONRPCObject => ({ content: [{ type: 'text', text: value }] });

/** @param maxSubscriptions - most event streams of one caller at one address */
export function createTestSurface(maxSubscriptions?: number): TestSurface {
  const places = new StreamPlaces(maxSubscriptions);
  const connections: ClientConnection[] = [];
  const sessions = new Set<TestSession>();
  const told: string[] = [];
  const listeners = new Map<string, Set<(event: ListenEvent) => void>>();
  const finishing = new Set<() => void>();
  const closing = new AbortController();
  let canceled = 0;

  const listenersOf = ({ id }: Pick<Caller, 'id'>, { server }: Mount = {}) => {
    const key = JSON.stringify([id, server]);
    const own = listeners.get(key) ?? new Set();
    listeners.set(key, own);
    return own;
  };
  const call = async ({ caller, mount, params, controller, notify, ask }: ClientRequest) => {
    const { signal } = controller;
    const { name, arguments: given, _meta } = params;
    const input = isRecord(given) ? given : {};
    if (name === 'whoami') {
      const allowed = caller.allows?.('notes', 'secret') ?? true;
      return text(`${caller.id} at ${mount.server ?? 'all'}${allowed ? '' : ', restricted'}`);
    }
    if (name === 'allowed-later') {
      await new Promise<void>((resolve) => finishing.add(resolve));
      return text(caller.allows?.('notes', 'secret') === false ? 'restricted' : 'allowed');
    }
    if (name === 'big') return text('x'.repeat(Number(input['size'])));
    if (name === 'count') {
      const progressToken = _meta?.['progressToken'];
      for (let progress = 1; progress <= 3 && progressToken !== undefined; progress += 1)
        notify('notifications/progress', { progressToken, progress });
      return text('counted');
    }
    if (name === 'ask') {
      const requestedSchema = { type: 'object', properties: {} };
      const question = { method: 'elicitation/create', params: { message: 'Your name?', requestedSchema } };
      return text(String((await ask?.(question, { signal, timeoutMs: 60_000 }))?.['action']));
    }
    const progressToken = _meta?.['progressToken'];
    if (progressToken !== undefined) notify('notifications/progress', { progressToken, progress: 1 });
    await new Promise<void>((resolve) => {
      const end = (): void => {
        finishing.delete(end);
        resolve();
      };
      finishing.add(end);
      signal.addEventListener('abort', () => {
        canceled += 1;
        end();
      });
    });
    return text('waited');
  };
  const answer = async (request: ClientRequest): Promise<JSONRPCObject> => {
    const { caller, mount, era, method, params, session } = request;
    const serverInfo = { name: mount.server ?? 'all', version: '1' };
    if (era === 'modern') connections.push({ caller, mount, era });
    switch (method) {
      case 'initialize':
        for (const each of sessions) {
          if (each !== session || !isRecord(params['capabilities'])) continue;
          each.capabilities = params['capabilities'];
          each.clientInfo = params['clientInfo'];
        }
        return { protocolVersion: params['protocolVersion'], capabilities: CAPABILITIES, serverInfo };
      case 'server/discover':
        return {
          supportedVersions: ['2026-07-28'],
          capabilities: CAPABILITIES,
          ttlMs: 0,
          cacheScope: 'private',
        };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: TOOLS, ttlMs: 0, cacheScope: 'private' };
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        told.push(`${method.slice('resources/'.length)} ${String(params['uri'])}`);
        return {};
      case 'logging/setLevel':
        told.push(`level ${String(params['level'])}`);
        return {};
      case 'subscriptions/listen':
        return answerListen(request, places, closing.signal, 1000, (_uris, onEvent) => {
          const own = listenersOf(caller, mount).add(onEvent);
          return { [Symbol.dispose]: () => void own.delete(onEvent) };
        });
      case 'tools/call':
        return call(request);
      default:
        throw new RpcError(RPC_CODES.methodNotFound, 'Method not found', undefined, 404);
    }
  };

  return {
    connections,
    sessions,
    told,
    waiting: () => finishing.size,
    canceled: () => canceled,
    finish() {
      for (const resolve of finishing) resolve();
      finishing.clear();
    },
    bus: (caller, mount) => ({
      get listenerCount() {
        return listenersOf(caller, mount).size;
      },
      publish(event) {
        for (const listener of listenersOf(caller, mount)) listener(event);
      },
    }),
    openSession(connection, notify) {
      connections.push(connection);
      const session: TestSession = {
        capabilities: undefined,
        clientInfo: undefined,
        notify,
        [Symbol.dispose]: () => void sessions.delete(session),
      };
      sessions.add(session);
      return session;
    },
    async answer(request) {
      const result = await answer(request);
      return request.era === 'modern' ? { resultType: 'complete', ...result } : result;
    },
    inputSchema: async () => undefined,
    async close() {
      closing.abort();
    },
  };
}
