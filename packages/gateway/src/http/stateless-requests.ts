import type {
  Clock,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from '@mcp-fittings/client-core';
import { isRecord, isRequest, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Scope } from '../catalog/exposure.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { Surface } from '../contracts/surface.js';
import { Peer } from '../rpc/peer.js';
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

  /** Rejects with the error of a message that is refused. Waits for the server of a tool that is not listed yet. */
  async check(
    header: Exchange['header'],
    message: JSONRPCRequest | JSONRPCNotification,
    { caller, mount }: Scope,
  ): Promise<void> {
    if (!isRequest(message)) return;
    const { surface } = this.#options;
    await checkParameterHeaders(header, message, (tool) => surface.inputSchema(caller, mount, tool));
    checkInputResponses(message.params ?? {});
  }

  /** Answers one message of the caller at a mount, which {@link check} has not refused. */
  handle(exchange: Exchange, message: JSONRPCRequest | JSONRPCNotification, { caller, mount }: Scope): void {
    if (!isRequest(message)) return exchange.respond(202, {});
    if (exchange.isOver) return;
    const { surface, keepAliveMs, clock } = this.#options;
    const { id } = message;
    const reply = new Reply(exchange, { keepAliveMs, clock, headers: {}, requests: 1 });
    const send = (sent: JSONRPCMessage, _related?: RequestId, status?: number): void =>
      reply.send(sent, status);
    const peer = new Peer({ surface, caller, mount, clock, send });
    const breakOff = (): void => send({ jsonrpc: '2.0', id, error: { ...CLOSED, data: { ...CLOSED.data } } });
    this.#open.add(breakOff);
    peer.receive(message, caller, 'modern');
    exchange.onOver(() => {
      this.#open.delete(breakOff);
      peer.cancel(id, 'The response has ended.');
    });
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
