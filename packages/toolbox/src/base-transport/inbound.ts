import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '@mcp-fittings/client-core';
import { isErrorResponse, isRequestId, shapeOf } from '../messages.js';
import type { Redactor } from '../text/redact.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { readMalformedError } from './malformed-error.js';
import { maskError } from './mask-error.js';
import type { OrderedDelivery } from './ordered-delivery.js';
import type { PendingRequests } from './pending-requests.js';
import type { TransportController } from './transport-controller.js';
import type { TurnBudget } from './turn-budget.js';

/** The only revision in which a peer may send several messages in one array. */
const REVISION_WITH_BATCHES = '2025-03-26';
/** Number of messages that may wait until `start()` has succeeded. */
const EARLY_MESSAGES = 1024;

export interface InboundDeps {
  readonly transport: TransportController;
  readonly pending: PendingRequests;
  /** Delivers valid messages. */
  readonly delivery: OrderedDelivery;
  readonly budget: TurnBudget;
  /** Returns what removes the secrets of the connection; undefined if it has none. */
  readonly redactor: () => Redactor | undefined;
}

/** Sorts what arrives from the peer: messages, batches, unexpected responses, and invalid values. */
export class Inbound {
  readonly #deps: InboundDeps;
  #early: unknown[] = [];

  constructor(deps: InboundDeps) {
    this.#deps = deps;
  }

  receive(value: unknown): void {
    const { transport, delivery } = this.#deps;
    // Classified once, see MessageMembers.
    const shape = shapeOf(value);
    if (shape === 'invalid') this.#receiveInvalid(value);
    else if (shape === 'request' || shape === 'notification') {
      transport.markUnsolicited();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapeOf() has checked it
      delivery.pushOther(value as JSONRPCMessage);
    } else {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapeOf() has checked it
      const response = this.#withOwnId(this.#withoutSecrets(value as JSONRPCResponse));
      if (this.#expects(response)) delivery.pushResponse(response);
    }
  }

  /** Keeps a value until the connection is open, because a handler could not send an answer while `start()` is running. */
  keepEarly(value: unknown): void {
    if (this.#early.length < EARLY_MESSAGES) {
      this.#deps.transport.markUnsolicited();
      this.#early.push(value);
    } else {
      this.#deps.transport.reportCounted(
        'PROTOCOL_VIOLATION',
        () => 'The peer sent too many messages before the connection was open.',
      );
    }
  }

  /** The connection is open. */
  releaseEarly(): void {
    for (const value of this.#early.splice(0)) this.#deps.transport.receive(value);
  }

  #withoutSecrets(response: JSONRPCResponse): JSONRPCResponse {
    if (!isErrorResponse(response)) return response;
    const redact = this.#deps.redactor();
    return redact === undefined ? response : maskError(response, redact);
  }

  #withOwnId(message: JSONRPCResponse): JSONRPCResponse {
    const { id } = message;
    if (typeof id !== 'string') return message;
    const own = this.#deps.pending.own(id);
    return own === id ? message : { ...message, id: own };
  }

  #expects(message: JSONRPCResponse): boolean {
    const { transport, pending, budget } = this.#deps;
    const { id } = message;
    if (isRequestId(id)) {
      if (pending.answer(id)) {
        budget.settle('requested');
        return true;
      }
      if (!pending.wasForgotten(id)) {
        transport.reportCounted(
          'RESPONSE_UNEXPECTED',
          () => `Received a response with the id ${formatId(id)}, but no such request is in flight.`,
        );
      }
      return false;
    }
    transport.reportCounted('PROTOCOL_VIOLATION', () => {
      const text = 'error' in message ? sanitizeText(message.error.message) : '';
      return `The peer rejected a message as unreadable: ${text}`;
    });
    return false;
  }

  #receiveInvalid(value: unknown): void {
    const { transport } = this.#deps;
    if (Array.isArray(value) && transport.protocolVersion === REVISION_WITH_BATCHES) {
      for (const element of value) if (!Array.isArray(element)) transport.receive(element);
      return;
    }
    const meant = soleResponse(value) ?? readMalformedError(value);
    if (meant !== undefined) return transport.receive(meant);
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
    const answersRequest =
      isRequestId(id) && !(typeof value === 'object' && value !== null && 'method' in value);
    const problem = 'Received a value that is not a JSON-RPC message.';
    if (answersRequest) {
      const error = transport.error('PROTOCOL_VIOLATION', problem, { delivery: 'unknown' });
      if (transport.failRequest(id, error)) return;
    }
    transport.reportCounted('MESSAGE_INVALID', () => problem);
  }
}

/** Returns the response in a list of one, which some servers send for a single request. */
function soleResponse(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [only]: readonly unknown[] = value;
  const shape = shapeOf(only);
  return shape === 'result' || shape === 'error' ? only : undefined;
}

/** Formats a request id for an error message. */
export function formatId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(sanitizeText(id, { maxLength: 64 }));
}
