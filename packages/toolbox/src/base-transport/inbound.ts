import type { JSONRPCResponse, RequestId } from '@mcp-fittings/client-core';
import { isErrorResponse, isRecord, isRequestId, shapeOf } from '../messages.js';
import type { Redactor } from '../text/redact.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { readMalformedError } from './malformed-error.js';
import { maskError } from './mask-error.js';
import type { PendingRequests } from './pending-requests.js';
import type { TransportController } from './transport-controller.js';

/** The only revision in which a peer may send several messages in one array. */
const REVISION_WITH_BATCHES = '2025-03-26';
/** Number of messages that may wait until `start()` has succeeded. */
const EARLY_MESSAGES = 1024;

/** Sorts what arrives from the peer and is not simply a message: unexpected responses, batches, invalid values, and early ones. */
export class Inbound {
  readonly #transport: TransportController;
  readonly #pending: PendingRequests;
  #early: unknown[] = [];

  constructor(transport: TransportController, pending: PendingRequests) {
    this.#transport = transport;
    this.#pending = pending;
  }

  /**
   * Returns a response as the host gets it, without secrets and with the id of its request. Reports one that no request waits for, and
   * returns undefined.
   */
  expected(response: JSONRPCResponse, redact: Redactor | undefined): JSONRPCResponse | undefined {
    const masked =
      redact === undefined || !isErrorResponse(response) ? response : maskError(response, redact);
    const message = this.#withOwnId(masked);
    const { id } = message;
    if (!isRequestId(id)) {
      this.#transport.reportCounted('PROTOCOL_VIOLATION', () => {
        const text = 'error' in message ? sanitizeText(message.error.message) : '';
        return `The peer rejected a message as unreadable: ${text}`;
      });
      return undefined;
    }
    if (this.#pending.answer(id)) return message;
    if (!this.#pending.wasForgotten(id)) {
      this.#transport.reportCounted(
        'RESPONSE_UNEXPECTED',
        () => `Received a response with the id ${formatId(id)}, but no such request is in flight.`,
      );
    }
    return undefined;
  }

  /** Keeps a value until the connection is open, because a handler could not send an answer while `start()` is running. */
  keepEarly(value: unknown): void {
    if (this.#early.length < EARLY_MESSAGES) {
      this.#transport.markUnsolicited();
      this.#early.push(value);
    } else {
      this.#transport.reportCounted(
        'PROTOCOL_VIOLATION',
        () => 'The peer sent too many messages before the connection was open.',
      );
    }
  }

  /** Receives what has arrived before the connection was open. */
  releaseEarly(): void {
    for (const value of this.#early.splice(0)) this.#transport.receive(value);
  }

  #withOwnId(message: JSONRPCResponse): JSONRPCResponse {
    const { id } = message;
    if (typeof id !== 'string') return message;
    const own = this.#pending.own(id);
    return own === id ? message : { ...message, id: own };
  }

  /** Receives what is not a JSON-RPC message, but may stand for one. */
  receiveInvalid(value: unknown): void {
    const transport = this.#transport;
    if (Array.isArray(value) && transport.protocolVersion === REVISION_WITH_BATCHES) {
      for (const element of value) if (!Array.isArray(element)) transport.receive(element);
      return;
    }
    const meant = soleResponse(value) ?? readMalformedError(value);
    if (meant !== undefined) return transport.receive(meant);
    const { id, method }: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
    const problem = 'Received a value that is not a JSON-RPC message.';
    if (isRequestId(id) && method === undefined) {
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
