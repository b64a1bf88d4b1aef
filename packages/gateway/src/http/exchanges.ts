import type { Clock, Logger } from '@mcp-fittings/client-core';
import { type McpHttpHandler, createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../contracts/caller.js';
import type { Surface } from '../contracts/surface.js';

/** Options of {@link createExchanges}. */
export interface ExchangesOptions {
  readonly surface: Surface;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Answers requests of revision 2026-07-28, which has no sessions. */
export interface Exchanges {
  /** Answers one request of the caller at a mount. Its signal must be aborted as soon as the response has ended. */
  handle(request: Request, body: unknown, caller: Caller, mount: Mount): Promise<Response>;
  /** Withdraws the calls, and ends the event streams. */
  close(): Promise<void>;
}

interface CallerHandler {
  readonly handler: McpHttpHandler;
  /** Caller of the latest request, whose permissions apply to events. */
  latest: Caller;
  /** Responses that have not ended. */
  open: number;
  timer: Disposable | undefined;
}

/** How long a handler without requests is kept, which costs little and saves its creation. */
const IDLE_MS = 60_000;

/** Creates one handler of the SDK for each caller and mount: events of `subscriptions/listen` are theirs alone. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  const { surface, maxSubscriptions, keepAliveMs, clock, logger } = options;
  const handlers = new Map<string, CallerHandler>();
  /** Tokens of one caller may allow different things. */
  const callers = new WeakMap<Request, Caller>();

  const create = (caller: Caller, mount: Mount): CallerHandler => {
    const entry: CallerHandler = {
      handler: createMcpHandler(
        ({ requestInfo }) =>
          surface.createServer({
            caller: (requestInfo && callers.get(requestInfo)) ?? entry.latest,
            mount,
            era: 'modern',
          }),
        {
          legacy: 'reject',
          bus: surface.events(
            {
              id: caller.id,
              principal: caller.principal,
              allows: (server, tool) => entry.latest.allows?.(server, tool) ?? true,
            },
            mount,
          ),
          maxSubscriptions,
          keepAliveMs,
          onerror: (error) => logger?.debug(error.message),
        },
      ),
      latest: caller,
      open: 0,
      timer: undefined,
    };
    return entry;
  };

  return {
    async handle(request, body, caller, mount) {
      const key = JSON.stringify([caller.id, caller.principal, mount.server]);
      const entry = handlers.get(key) ?? create(caller, mount);
      handlers.set(key, entry);
      entry.latest = caller;
      entry.open += 1;
      entry.timer?.[Symbol.dispose]();
      callers.set(request, caller);
      const ended = (): void => {
        entry.open -= 1;
        if (entry.open > 0) return;
        entry.timer = clock.schedule(
          () => {
            handlers.delete(key);
            void entry.handler.close();
          },
          IDLE_MS,
          { unref: true },
        );
      };
      if (request.signal.aborted) ended();
      else request.signal.addEventListener('abort', ended, { once: true });
      return entry.handler.fetch(request, { parsedBody: body });
    },
    async close() {
      const open = [...handlers.values()];
      handlers.clear();
      for (const { timer } of open) timer?.[Symbol.dispose]();
      await Promise.all(open.map(({ handler }) => handler.close()));
    },
  };
}
