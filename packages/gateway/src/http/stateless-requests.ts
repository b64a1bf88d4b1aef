import type { Clock, JSONRPCNotification, JSONRPCRequest } from '@mcp-fittings/client-core';
import { isRecord, isRequest, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Caller, Mount } from '../contracts/caller.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { Surface } from '../contracts/surface.js';
import { errorOf } from '../rpc/peer.js';
import { checkParameterHeaders } from './check-parameter-headers.js';
import type { Exchange } from './exchange.js';
import { CLOSED } from './refusals.js';
import { Reply } from './reply.js';

/** Options of {@link StatelessRequests}. */
export interface StatelessRequestsOptions {
  readonly surface: Surface;
  readonly keepAliveMs: number;
  readonly clock: Clock;
}

/** Answers requests of revision 2026-07-28, which has no sessions. */
export class StatelessRequests {
  readonly #options: StatelessRequestsOptions;
  /** Functions that break off the requests in flight. */
  readonly #open = new Set<() => void>();

  constructor(options: StatelessRequestsOptions) {
    this.#options = options;
  }

  /** Answers one message of the caller at a mount. Throws the error of a request that is refused. */
  handle(
    exchange: Exchange,
    message: JSONRPCRequest | JSONRPCNotification,
    { caller, mount }: { readonly caller: Caller; readonly mount: Mount },
  ): void {
    if (!isRequest(message)) return exchange.respond(202, {});
    const { surface, keepAliveMs, clock } = this.#options;
    const { id, method, params = {} } = message;
    checkParameterHeaders(exchange.header, message, (tool) => surface.inputSchema(caller, mount, tool));
    checkInputResponses(params);
    const reply = new Reply(exchange, { keepAliveMs, clock, headers: {}, requests: 1 });
    const controller = new AbortController();
    const answer = (error: ReturnType<RpcError['toJSON']>, status?: number): void =>
      reply.send({ jsonrpc: '2.0', id, error: { ...error } }, status);
    const breakOff = (): void => answer({ ...CLOSED, data: { ...CLOSED.data } });
    this.#open.add(breakOff);
    exchange.onOver(() => {
      this.#open.delete(breakOff);
      controller.abort('The response has ended.');
    });
    const { signal } = controller;
    surface
      .answer({
        caller,
        mount,
        era: 'modern',
        id,
        method,
        params,
        client: exchange,
        signal,
        notify: (name, given) => {
          if (!signal.aborted) reply.send({ jsonrpc: '2.0', method: name, params: given });
        },
      })
      .then(
        (result) => {
          if (!signal.aborted) reply.send({ jsonrpc: '2.0', id, result });
        },
        (error: unknown) => {
          if (!signal.aborted) answer(errorOf(error), error instanceof RpcError ? error.status : undefined);
        },
      );
  }

  /** Answers what is in flight with an error. */
  close(): void {
    for (const breakOff of this.#open) breakOff();
  }
}

/** Refuses answers that are not an object for each question. */
function checkInputResponses({ inputResponses }: Readonly<Record<string, unknown>>): void {
  if (inputResponses === undefined) return;
  if (isRecord(inputResponses) && Object.values(inputResponses).every(isRecord)) return;
  const text = '"inputResponses" has an answer that is not an object.';
  throw new RpcError(RPC_CODES.invalidParams, text, undefined, 400);
}
