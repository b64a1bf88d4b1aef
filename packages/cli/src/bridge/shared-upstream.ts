import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { createForwarder, type Forwarder } from './forwarder.js';
import type { OpenUpstream, Upstream } from './upstream.js';

/** One connection for all clients that have no session: made when the first one needs it, and again after it ended. */
export interface SharedUpstream {
  /** Rejects with a `FittingsError` when there is no connection. */
  forwarder(): Promise<Forwarder>;
  close(): Promise<void>;
}

export function createSharedUpstream(open: OpenUpstream, logger: Logger | undefined): SharedUpstream {
  let current: Promise<{ readonly upstream: Upstream; readonly forwarder: Forwarder }> | undefined;
  let live: Upstream | undefined;
  let isClosed = false;

  const connect = async () => {
    const upstream = await open();
    const { transport } = upstream;
    if (isClosed) {
      await transport.close();
      throw new FittingsError('TRANSPORT_CLOSED', 'The bridge is closing.', { delivery: 'not-sent' });
    }
    live = upstream;
    transport.onclose = () => {
      if (live === upstream) current = undefined;
      const { closeReason } = transport;
      if (closeReason !== undefined) logger?.warn(closeReason.message, { code: closeReason.code });
    };
    return { upstream, forwarder: createForwarder({ upstream, shared: true, logger }) };
  };

  return {
    async forwarder() {
      // It has ended and is still being cleared away.
      if (live?.transport.closeReason !== undefined) current = live = undefined;
      const opening = (current ??= connect());
      try {
        return (await opening).forwarder;
      } catch (error) {
        if (current === opening) current = undefined;
        throw error;
      }
    },
    async close() {
      isClosed = true;
      const opened = await current?.catch(() => undefined);
      await opened?.upstream.transport.close();
    },
  };
}
