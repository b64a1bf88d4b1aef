import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import type { ListKind, ListResult } from '../contracts/catalog.js';
import type { ListBudget } from '../limiters.js';
import type { EngineSession } from '../contracts/engine.js';
import type { InterceptedOperations, Interceptor } from '../contracts/interceptor.js';
import type { HostCallbacks, ServerRequestInfo } from '../contracts/server-requests.js';
import { createRunInterceptors, type RunInterceptors, type RunOptions } from './run-interceptors.js';

/** The operations of a host, each run through the interceptors. */
export class Interception {
  readonly run: RunInterceptors;
  readonly #listBudget: ListBudget;

  constructor(interceptors: readonly Interceptor[], clock: Clock, listBudget: ListBudget) {
    this.run = createRunInterceptors(interceptors, clock);
    this.#listBudget = listBudget;
  }

  async connect<Opened extends { readonly session: EngineSession }>(
    server: string,
    attempt: number,
    options: RunOptions,
    open: () => Promise<Opened>,
  ): Promise<Opened> {
    let opened: Promise<Opened> | undefined;
    try {
      await this.run<'connect'>({ operation: 'connect', server, attempt }, options, async () => {
        opened = open();
        const { protocolVersion, serverInfo, instructions, capabilities } = (await opened).session;
        return { protocolVersion, serverInfo, instructions, capabilities };
      });
    } catch (error) {
      // A connection that was refused afterward, or too late, must not stay open.
      void opened?.then(({ session }) => session.close()).catch(() => undefined);
      throw error;
    }
    if (opened !== undefined) return opened;
    const text = `An interceptor answered the connection to the server "${server}", which is not possible.`;
    throw new FittingsError('CALLBACK_FAILED', text, { server, delivery: 'not-sent' });
  }

  async list<Kind extends ListKind>(
    server: string,
    kind: Kind,
    options: RunOptions,
    read: () => Promise<ListResult<Kind>>,
  ): Promise<ListResult<Kind>> {
    let found: ListResult<Kind> | undefined;
    try {
      const operation = LIST_OPERATIONS[kind];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one kind stands for all
      const request = { operation: operation as 'listTools', server };
      const given = await this.run<'listTools'>(request, options, async () => {
        found = await read();
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `operation` is that of `kind`
        return found as ListResult<never>;
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `operation` is that of `kind`
      const list = given as ListResult<Kind>;
      const skipped = Array.isArray(list.skipped) ? list.skipped : [];
      // The server calls its own list public, not what an interceptor made of it.
      return { ...list, skipped, bytes: found?.bytes, isPublic: list === found && found.isPublic };
    } catch (error) {
      this.#listBudget.giveBack(found?.bytes ?? 0);
      throw error;
    }
  }

  /** The deadline of a callback, its place in the queue, and the validation of its answer are around this. */
  callbacks(callbacks: HostCallbacks, timeoutMs: number): HostCallbacks {
    const { run } = this;
    const { elicit, sample, roots } = callbacks;
    const about = ({ server, calls }: ServerRequestInfo) => ({ server, calls });
    const options = ({ signal }: ServerRequestInfo) => ({ timeoutMs, signal });
    return {
      ...callbacks,
      ...(elicit !== undefined && {
        elicit: (request, info) =>
          run<'elicit'>({ operation: 'elicit', ...about(info), request }, options(info), (changed) =>
            elicit(changed.request, info),
          ),
      }),
      ...(sample !== undefined && {
        sample: (params, info) =>
          run<'sample'>({ operation: 'sample', ...about(info), params }, options(info), (changed) =>
            sample(changed.params, info),
          ),
      }),
      ...(roots !== undefined && {
        roots: (info) =>
          run<'roots'>({ operation: 'roots', ...about(info) }, options(info), () => roots(info)),
      }),
    };
  }
}

/** Maps the lists of a server to the operations that read them. */
const LIST_OPERATIONS = {
  tools: 'listTools',
  prompts: 'listPrompts',
  resources: 'listResources',
  resourceTemplates: 'listResourceTemplates',
} as const satisfies Readonly<Record<ListKind, keyof InterceptedOperations>>;
