import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, type RequestOptions } from '@modelcontextprotocol/client';

const CONTEXT = Symbol('context of the request');

type InContext = <Value>(work: () => Value) => Value;

interface ContextualOptions extends RequestOptions {
  readonly [CONTEXT]?: InContext;
}

/** Adds the current asynchronous context to the options of a request of a {@link ContextualClient}. */
export function inThisContext(options: RequestOptions): RequestOptions {
  const contextual: ContextualOptions = { ...options, [CONTEXT]: AsyncLocalStorage.snapshot() };
  return contextual;
}

/**
 * A client that answers the questions in the result of a request in the asynchronous context of that request, and not in that of the
 * message: only so is it known which request a question belongs to.
 */
export class ContextualClient extends Client {
  protected override _resolveNonCompleteResult(
    decoded: { kind: 'input_required'; inputRequests: Record<string, unknown>; requestState?: string },
    flow: { options: ContextualOptions | undefined },
  ): Promise<unknown> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK does not export the type of its `flow`
    const work = (): Promise<unknown> => super._resolveNonCompleteResult(decoded, flow as never);
    return flow.options?.[CONTEXT]?.(work) ?? work();
  }
}
