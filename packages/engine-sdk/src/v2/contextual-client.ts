import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, type RequestOptions } from '@modelcontextprotocol/client';
import type { EngineRequestOptions } from '@mcp-fittings/host/engine';

const CONTEXT = Symbol('context of the request');

type InContext = <Value>(work: () => Value) => Value;

interface ContextualOptions extends RequestOptions {
  readonly [CONTEXT]?: InContext;
}

/**
 * A client that answers the questions in the result of a request in the asynchronous context of that request, and not in that of the
 * message: only so is it known which request a question belongs to.
 */
export class ContextualClient extends Client {
  readonly #call = new AsyncLocalStorage<EngineRequestOptions['call']>();

  /** The call in whose context this is read. */
  get call(): EngineRequestOptions['call'] {
    return this.#call.getStore();
  }

  /** Adds the current asynchronous context, and the call that a request carries out, to the options of that request. */
  inThisContext(options: RequestOptions, call: EngineRequestOptions['call']): RequestOptions {
    const here = AsyncLocalStorage.snapshot();
    const inContext: InContext = (work) => here(() => this.#call.run(call, work));
    const contextual: ContextualOptions = { ...options, [CONTEXT]: inContext };
    return contextual;
  }

  protected override _resolveNonCompleteResult(
    decoded: { kind: 'input_required'; inputRequests: Record<string, unknown>; requestState?: string },
    flow: { options: ContextualOptions | undefined },
  ): Promise<unknown> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK does not export the type of its `flow`
    const work = (): Promise<unknown> => super._resolveNonCompleteResult(decoded, flow as never);
    return flow.options?.[CONTEXT]?.(work) ?? work();
  }
}
