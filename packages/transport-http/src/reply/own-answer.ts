import { isRecord } from '@mcp-fittings/client-core';
import { isRequestId, shapeOf, type RequestId } from '@mcp-fittings/client-core/transport';
import type { Inbox } from './inbox.js';

/** Lets one request be answered on its own stream, and no other request. */
export interface OwnAnswer {
  /**
   * A value that came in reply to the request. `sole`: the reply carries nothing else, so that an error without id can
   * only mean this request.
   */
  take(value: unknown, sole?: boolean): void;
  readonly received: boolean;
}

export interface OwnAnswerOptions {
  readonly id: RequestId;
  readonly inbox: Inbox;
  /** The server may send several messages as one array: revision 2025-03-26 only. */
  readonly batches: boolean;
  /** The stream was begun by an earlier request with another id: whichever answer it brings is the one. */
  readonly resumed: boolean;
  /** Told the answer, before it goes on. */
  readonly onAnswer?: ((answer: Readonly<Record<string, unknown>>) => void) | undefined;
}

export function createOwnAnswer(options: OwnAnswerOptions): OwnAnswer {
  const { id, inbox, batches, resumed, onAnswer } = options;
  let received = false;

  const take = (value: unknown, sole = false): void => {
    if (Array.isArray(value)) {
      if (!batches) inbox.malformed();
      else for (const element of value) if (!Array.isArray(element)) take(element, sole);
      return;
    }
    if (!isRecord(value)) return inbox.malformed();
    if ('method' in value) return inbox.receive(value);
    const given = value['id'];
    const mine = given === id || (sole && !isRequestId(given) && shapeOf(value) === 'error');
    if (!mine && !(resumed && isRequestId(given) && !inbox.isPending(given))) return inbox.foreign(given);
    const answer = given === id ? value : { ...value, id };
    received = true;
    onAnswer?.(answer);
    inbox.receive(answer);
  };

  return {
    take,
    get received() {
      return received;
    },
  };
}
