import { InMemoryServerEventBus, Server } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../../src/contracts/caller.js';
import type { ClientConnection, Surface } from '../../src/contracts/surface.js';

/** A surface of the test's own, so that the front doors are tested by themselves. */
export interface TestSurface extends Surface {
  /** Connections for which a server was created, in order. */
  readonly connections: readonly ClientConnection[];
  /** Servers of connections that have not ended. */
  readonly servers: ReadonlySet<Server>;
  /** Calls of `wait` that have not ended. */
  readonly waiting: () => number;
  /** How many calls of `wait` were canceled. */
  readonly canceled: () => number;
  /** Ends all calls of `wait`. */
  finish(): void;
  /** Log levels and subscriptions that servers were told, in order. */
  readonly told: readonly string[];
  /** Events of one caller at one mount. */
  bus(caller: Pick<Caller, 'id'>, mount?: Mount): InMemoryServerEventBus;
}

const TOOLS = ['whoami', 'wait', 'big', 'ask', 'count'].map((name) => ({
  name,
  inputSchema: { type: 'object' as const, properties: {} },
}));

export function createTestSurface(): TestSurface {
  const connections: ClientConnection[] = [];
  const servers = new Set<Server>();
  const told: string[] = [];
  const buses = new Map<string, InMemoryServerEventBus>();
  const finishing = new Set<() => void>();
  let canceled = 0;

  const bus: TestSurface['bus'] = ({ id }, { server } = {}) => {
    const key = JSON.stringify([id, server]);
    const made = buses.get(key) ?? new InMemoryServerEventBus();
    buses.set(key, made);
    return made;
  };

  const createServer = (connection: ClientConnection): Server => {
    connections.push(connection);
    const { caller, mount } = connection;
    const server = new Server(
      { name: mount.server ?? 'all', version: '1' },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          logging: {},
        },
      },
    );
    servers.add(server);
    server.onclose = () => servers.delete(server);
    server.setRequestHandler('tools/list', () => ({
      tools: TOOLS,
      ttlMs: 0,
      cacheScope: 'private' as const,
    }));
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      told.push(`subscribe ${params.uri}`);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      told.push(`unsubscribe ${params.uri}`);
      return {};
    });
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      told.push(`level ${params.level}`);
      return {};
    });
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
      const { name, arguments: input = {} } = params;
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
        for (let progress = 1; progress <= 3; progress += 1) {
          const progressToken = context.mcpReq._meta?.progressToken;
          if (progressToken === undefined) break;
          // oxlint-disable-next-line no-await-in-loop -- in order
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress },
          });
        }
        return text('counted');
      }
      if (name === 'ask') {
        const answer = await server.elicitInput(
          { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } },
          { relatedRequestId: context.mcpReq.id },
        );
        return text(answer.action);
      }
      const { signal } = context.mcpReq;
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
    });
    return server;
  };

  return {
    connections,
    servers,
    told,
    waiting: () => finishing.size,
    canceled: () => canceled,
    finish() {
      for (const resolve of finishing) resolve();
      finishing.clear();
    },
    bus,
    createServer,
    events: (caller, mount) => bus(caller, mount),
    inputSchema: () => undefined,
    refusal: () => undefined,
    close: () => Promise.resolve(),
  };
}
