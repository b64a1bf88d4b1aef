import { isRecord } from '@mcp-fittings/client-core';
import { isRequestId, shapeOf, type RequestId } from '@mcp-fittings/client-core/transport';
import type { HttpWire } from '../http-wire.js';

export interface OwnAnswerOptions {
  readonly id: RequestId;
  /** The server may send several messages as one array: revision 2025-03-26 only. */
  readonly batches: boolean;
  /** The stream was begun by an earlier request with another id: whichever answer it brings is the one. */
  readonly resumed: boolean;
  /** Where the answer goes. */
  readonly onAnswer: (answer: Readonly<Record<string, unknown>>) => void;
}

/** Lets one request be answered on its own stream, and no other request. */
export class OwnAnswer {
  readonly #options: OwnAnswerOptions;
  readonly #wire: HttpWire;
  #received = false;

  constructor(options: OwnAnswerOptions, wire: HttpWire) {
    this.#options = options;
    this.#wire = wire;
  }

  get received(): boolean {
    return this.#received;
  }

  /**
   * A value that came in reply to the request. `sole`: the reply carries nothing else, so that an error without id can
   * only mean this request.
   */
  take(value: unknown, sole = false): void {
    const { id, batches, resumed, onAnswer } = this.#options;
    if (Array.isArray(value)) {
      if (!batches) this.#wire.reportMalformed();
      else for (const element of value) if (!Array.isArray(element)) this.take(element, sole);
      return;
    }
    if (!isRecord(value)) return this.#wire.reportMalformed();
    if ('method' in value) return this.#wire.receive(value);
    const given = value['id'];
    const mine = given === id || (sole && !isRequestId(given) && shapeOf(value) === 'error');
    const resumes = resumed && isRequestId(given) && !this.#wire.transport.isPending(given);
    if (!mine && !resumes) return this.#wire.reportForeign(given);
    this.#received = true;
    onAnswer(given === id ? value : { ...value, id });
  }
}
