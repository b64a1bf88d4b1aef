import type { JSONRPCResponse, RequestId } from '../contracts/json-rpc.js';
import { isMessage, isRequestId, isResponse } from '../wire/messages.js';
import { sanitizeText } from '../text/sanitize-text.js';
import type { OrderedDelivery } from './ordered-delivery.js';
import type { PendingRequests } from './pending-requests.js';
import type { TransportController } from './transport-controller.js';
import type { TurnBudget } from './turn-budget.js';

/** The only revision in which a peer may send several messages as one array. */
const REVISION_WITH_BATCHES = '2025-03-26';
/** What comes before `start` has succeeded waits, up to this many messages. */
const EARLY_MESSAGES = 1024;

export interface InboundDeps {
  readonly transport: TransportController;
  readonly pending: PendingRequests;
  /** Takes a message that is in order. */
  readonly delivery: OrderedDelivery;
  readonly budget: TurnBudget;
}

/** Decides what becomes of each value that came from the peer: a message, a batch, an answer to nothing, or nonsense. */
export class Inbound {
  readonly #deps: InboundDeps;
  #early: unknown[] = [];

  constructor(deps: InboundDeps) {
    this.#deps = deps;
  }

  receive(value: unknown): void {
    if (!isMessage(value)) this.#receiveInvalid(value);
    else if (!isResponse(value)) {
      this.#deps.transport.unasked();
      this.#deps.delivery.push(value);
    } else if (this.#expects(value)) this.#deps.delivery.push(value);
  }

  /** Before the connection is open: a handler that answers at once could not, while `start` is still running. */
  keepEarly(value: unknown): void {
    if (this.#early.length < EARLY_MESSAGES) {
      this.#deps.transport.unasked();
      this.#early.push(value);
    } else {
      this.#deps.transport.reportCounted(
        'PROTOCOL_VIOLATION',
        () => 'The peer sent too much before the connection was open.',
      );
    }
  }

  /** The connection is open. */
  releaseEarly(): void {
    for (const value of this.#early.splice(0)) this.#deps.transport.receive(value);
  }

  #expects(message: JSONRPCResponse): boolean {
    const { transport, pending, budget } = this.#deps;
    const { id } = message;
    if (isRequestId(id)) {
      if (pending.answer(id)) {
        budget.settle('asked');
        return true;
      }
      if (!pending.wasForgotten(id)) {
        transport.reportCounted(
          'RESPONSE_UNEXPECTED',
          () => `No request with the id ${shownId(id)} is in flight.`,
        );
      }
      return false;
    }
    transport.reportCounted('PROTOCOL_VIOLATION', () => {
      const text = 'error' in message ? sanitizeText(message.error.message) : '';
      return `The peer could not read a message of ours: ${text}`;
    });
    return false;
  }

  #receiveInvalid(value: unknown): void {
    const { transport } = this.#deps;
    if (Array.isArray(value) && transport.protocolVersion === REVISION_WITH_BATCHES) {
      for (const element of value) if (!Array.isArray(element)) transport.receive(element);
      return;
    }
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
    const answersRequest =
      isRequestId(id) && !(typeof value === 'object' && value !== null && 'method' in value);
    const problem = 'The peer sent an object that is not a JSON-RPC message.';
    if (answersRequest) {
      const error = transport.error('PROTOCOL_VIOLATION', problem, { delivery: 'unknown' });
      if (transport.failRequest(id, error)) return;
    }
    transport.reportCounted('MESSAGE_INVALID', () => problem);
  }
}

/** A request id, fit to show. */
export function shownId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(sanitizeText(id, { maxLength: 64 }));
}
