import { FittingsError } from '@mcp-fittings/client-core';
import type { Transport } from '@mcp-fittings/client-core/transport';

/** What a transport refused while the SDK looked for the era. */
export interface Refusals {
  readonly last: FittingsError | undefined;
  /** The handshake is over. */
  stop(): void;
}

/**
 * The SDK makes an error of its own out of a refused probe and drops the transport's, which says more: whether it is worth
 * another attempt, for example.
 */
export function watchRefusals(transport: Transport): Refusals {
  const send = transport.send.bind(transport);
  let last: FittingsError | undefined;
  transport.send = async (message, options) => {
    try {
      await send(message, options);
    } catch (error) {
      if (error instanceof FittingsError) last = error;
      throw error;
    }
  };
  return {
    get last() {
      return last;
    },
    stop() {
      transport.send = send;
    },
  };
}
