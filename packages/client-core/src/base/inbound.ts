import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '../contracts/json-rpc.js';
import type { ErrorCode } from '../errors/codes.js';
import { isMessage, isRequestId, isResponse } from '../jsonrpc/classify.js';
import { sanitizeText } from '../tools/sanitize.js';
import type { PendingRequests } from './pending-requests.js';

/** The only revision in which a peer may send several messages as one array. */
const REVISION_WITH_BATCHES = '2025-03-26';
/** What comes before `start` has succeeded waits, up to this many messages. */
const EARLY_MESSAGES = 1024;

export interface InboundDeps {
  readonly pending: PendingRequests;
  /** The negotiated revision, once it is known. */
  readonly revision: () => string | undefined;
  /** Takes a value as if it had come by itself. */
  readonly receive: (value: unknown) => void;
  /** What is being handled was asked for, or came by itself. */
  readonly settle: (kind: 'asked' | 'unasked') => void;
  /** Takes a message that is in order. */
  readonly accept: (message: JSONRPCMessage) => void;
  /** The answer to this request is not a message. False: it is not in flight. */
  readonly failRequest: (id: RequestId, problem: string) => boolean;
  readonly report: (code: ErrorCode, describe: () => string) => void;
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
      this.#deps.settle('unasked');
      this.#deps.accept(value);
    } else if (this.#expects(value)) this.#deps.accept(value);
  }

  /** Before the connection is open: a handler that answers at once could not, while `start` is still running. */
  keepEarly(value: unknown): void {
    if (this.#early.length < EARLY_MESSAGES) {
      this.#deps.settle('unasked');
      this.#early.push(value);
    } else {
      this.#deps.report('PROTOCOL_VIOLATION', () => 'The peer sent too much before the connection was open.');
    }
  }

  /** The connection is open. */
  releaseEarly(): void {
    for (const value of this.#early.splice(0)) this.#deps.receive(value);
  }

  #expects(message: JSONRPCResponse): boolean {
    const { pending, settle, report } = this.#deps;
    const { id } = message;
    if (isRequestId(id)) {
      if (pending.answer(id)) {
        settle('asked');
        return true;
      }
      if (!pending.wasForgotten(id)) {
        report('RESPONSE_UNEXPECTED', () => `No request with the id ${shownId(id)} is in flight.`);
      }
      return false;
    }
    report('PROTOCOL_VIOLATION', () => {
      const text = 'error' in message ? sanitizeText(message.error.message) : '';
      return `The peer could not read a message of ours: ${text}`;
    });
    return false;
  }

  #receiveInvalid(value: unknown): void {
    const { revision, receive, failRequest, report } = this.#deps;
    if (Array.isArray(value) && revision() === REVISION_WITH_BATCHES) {
      for (const element of value) if (!Array.isArray(element)) receive(element);
      return;
    }
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
    const answersRequest =
      isRequestId(id) && !(typeof value === 'object' && value !== null && 'method' in value);
    const problem = 'The peer sent an object that is not a JSON-RPC message.';
    if (answersRequest && failRequest(id, problem)) return;
    report('MESSAGE_INVALID', () => problem);
  }
}

/** A request id, fit to show. */
export function shownId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(sanitizeText(id, { maxLength: 64 }));
}
