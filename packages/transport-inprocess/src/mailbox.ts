import { afterTurn, type JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/** A message, or undefined for the end of all messages. */
export type Mail = JSONRPCMessage | undefined;

/** A queue from one side of a pair to the other: in order, and never delivered within the call that put the message there. */
export interface Mailbox {
  put(mail: Mail): void;
  /** Passes the mail to `read` from now on, also what came before. */
  open(read: (mail: Mail) => void): void;
  /** Drops what is left, and all later mail. */
  close(): void;
  readonly closed: boolean;
}

/** Two sides that answer each other in promise jobs would keep timers and sockets waiting forever. */
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
    open(read) {
      reader = read;
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
