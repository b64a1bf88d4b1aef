import type { JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { errorResponse } from './error-responses.js';
import { type ClientSide, Forwarder } from './forwarder.js';
import { createSessionReplay } from './session-replay.js';
import type { OpenUpstream, Upstream } from './upstream.js';

export interface DedicatedConnectionOptions {
  readonly open: OpenUpstream;
  readonly client: ClientSide;
  readonly logger?: Logger | undefined;
}

/**
 * Connects one client to the server over a connection of its own. The connection is opened by the client's first
 * request. If it is lost, the next request opens another one and replays the client's session, because many clients
 * never reconnect.
 */
export interface DedicatedConnection {
  receive(message: JSONRPCMessage): void;
  /** Closes the connection of a client that has disconnected. Resolves when it is closed. */
  close(): Promise<void>;
}

export function createDedicatedConnection({
  open,
  client,
  logger,
}: DedicatedConnectionOptions): DedicatedConnection {
  const replay = createSessionReplay();
  let opening: Promise<Forwarder> | undefined;
  let upstream: Upstream | undefined;
  let isClosed = false;

  const connect = async (): Promise<Forwarder> => {
    const opened = await open();
    const { transport } = opened;
    upstream = opened;
    transport.onclose = () => {
      if (upstream === opened) opening = undefined;
      const { closeReason } = transport;
      if (closeReason !== undefined) logger?.warn(closeReason.message, { code: closeReason.code });
    };
    try {
      const changed = await replay.replay(opened);
      const recordingClient: ClientSide = {
        send(message) {
          replay.recordServerMessage(message);
          return client.send(message);
        },
      };
      const forwarder = new Forwarder(opened, recordingClient, logger);
      const resubscribe = createResubscribe(opened);
      transport.onsessionrestored = resubscribe;
      transport.onreconnect = resubscribe;
      for (const list of changed) {
        client.send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }).catch(() => undefined);
      }
      return forwarder;
    } catch (error) {
      await transport.close();
      throw error;
    }
  };
  /**
   * The session was replaced, or notifications were missed while the stream was down. Subscribes again, and tells the
   * client what may have changed. Both events at once count as one.
   */
  const createResubscribe = (opened: Upstream): (() => void) => {
    let isRunning = false;
    return () => {
      if (isRunning || upstream !== opened) return;
      isRunning = true;
      void replay.replaySubscriptions(opened).finally(() => {
        isRunning = false;
        if (upstream !== opened || isClosed) return;
        for (const message of replay.missedNotifications()) client.send(message).catch(() => undefined);
      });
    };
  };
  const refuse = (message: JSONRPCMessage, error: unknown): void => {
    // The next request connects again: the server may be back.
    opening = undefined;
    if (isRequest(message)) client.send(errorResponse(message.id, error)).catch(() => undefined);
  };

  return {
    receive(message) {
      replay.recordClientMessage(message);
      // It has ended, but its `onclose` has not run.
      if (upstream?.transport.closeReason !== undefined) opening = upstream = undefined;
      // The request that this belongs to ended with the connection.
      if (isClosed || (opening === undefined && !isRequest(message))) return;
      opening ??= connect();
      opening.then(
        (forwarder) => forwarder.receive(message),
        (error: unknown) => refuse(message, error),
      );
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const forwarder = await opening?.catch(() => undefined);
      forwarder?.leave();
      await upstream?.transport.close();
    },
  };
}
