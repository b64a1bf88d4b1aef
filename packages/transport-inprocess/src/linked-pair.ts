import type { Transport } from '@mcp-fittings/client-core/transport';
import { LinkedHalf } from './linked-half.js';
import { createMailbox } from './mailbox.js';

export interface LinkedPairOptions {
  /**
   * Copy every message with `structuredClone`, so that neither side sees what the other does to its objects later.
   * Default false: both sides share the objects, and nothing is copied or serialised.
   */
  readonly clone?: boolean | undefined;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
}

/**
 * Two transports that are connected to each other: give one to a client and one to a server. Messages arrive in order
 * and asynchronously; when one side closes, the other ends with `CONNECTION_LOST`.
 */
export function createLinkedPair(options: LinkedPairOptions = {}): readonly [Transport, Transport] {
  const { clone = false, server } = options;
  const first = createMailbox();
  const second = createMailbox();
  return [
    new LinkedHalf({ inbox: first, outbox: second, clone, server }),
    new LinkedHalf({ inbox: second, outbox: first, clone, server }),
  ];
}
