import { afterTurn, type JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/** A message, or undefined for the end of all messages. */
export type Mail = JSONRPCMessage | undefined;

/** Where one side puts what the other side reads: in order, never within the call that put it there. */
export interface Mailbox {
  put(mail: Mail): void;
  /** From now on `take` gets the mail, also what came before. */
  open(take: (mail: Mail) => void): void;
  /** Drops what is left and all that comes. */
  close(): void;
  readonly closed: boolean;
}

/** Two sides that answer each other in promise jobs would keep timers and sockets waiting for ever. */
const DELIVERIES_PER_TURN = 1024;

export function createMailbox(): Mailbox {
  let waiting: Mail[] = [];
  let reader: ((mail: Mail) => void) | undefined;
  let scheduled = false;
  let closed = false;
  let deliveries = 0;

  const deliver = (): void => {
    scheduled = false;
    const batch = waiting;
    waiting = [];
    for (const mail of batch) reader?.(mail);
  };

  const schedule = (): void => {
    if (scheduled || reader === undefined || waiting.length === 0) return;
    scheduled = true;
    deliveries = (deliveries + 1) % DELIVERIES_PER_TURN;
    if (deliveries === 0) afterTurn(deliver);
    else queueMicrotask(deliver);
  };

  return {
    put(mail) {
      if (closed) return;
      waiting.push(mail);
      schedule();
    },
    open(take) {
      reader = take;
      schedule();
    },
    close() {
      closed = true;
      waiting = [];
    },
    get closed() {
      return closed;
    },
  };
}
