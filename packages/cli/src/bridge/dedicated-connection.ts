import type { Logger } from '@mcp-fittings/client-core';
import { type JSONRPCMessage, isRequest } from '@mcp-fittings/client-core/transport';
import { errorResponse } from './error-responses.js';
import { type ClientSide, type ClientHandle, createForwarder } from './forwarder.js';
import { createSessionReplay } from './session-replay.js';
import type { OpenUpstream, Upstream } from './upstream.js';

export interface DedicatedConnectionOptions {
  readonly open: OpenUpstream;
  readonly client: ClientSide;
  readonly logger?: Logger | undefined;
}

/**
 * A client with a connection to the server of its own. It is made when the client asks for something, and made again, with
 * everything that the client said about itself, when it asks for something after the connection was lost: many clients
 * never come back by themselves.
 */
export interface DedicatedConnection {
  receive(message: JSONRPCMessage): void;
  /** The client is gone, and its connection with it. Resolves when nothing is left of it. */
  leave(): Promise<void>;
}

export function createDedicatedConnection({
  open,
  client,
  logger,
}: DedicatedConnectionOptions): DedicatedConnection {
  const state = createSessionReplay();
  let opening: Promise<ClientHandle> | undefined;
  let upstream: Upstream | undefined;
  let hasLeft = false;

  const connect = async (): Promise<ClientHandle> => {
    const opened = await open();
    const { transport } = opened;
    upstream = opened;
    transport.onclose = () => {
      if (upstream === opened) opening = undefined;
      const { closeReason } = transport;
      if (closeReason !== undefined) logger?.warn(closeReason.message, { code: closeReason.code });
    };
    try {
      const changed = await state.restore(opened);
      const listening: ClientSide = {
        send(message, relatedTo) {
          state.hear(message);
          return client.send(message, relatedTo);
        },
      };
      const forwarding = createForwarder({ upstream: opened, shared: false, logger }).join(listening);
      const renew = renewing(opened);
      transport.onsessionrestored = renew;
      transport.onreconnect = renew;
      for (const list of changed) {
        client.send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }).catch(() => undefined);
      }
      return forwarding;
    } catch (error) {
      await transport.close();
      throw error;
    }
  };
  /**
   * The session is another one, or news were missed while the stream was down: the server hears again what the client
   * wants, and the client reads again what may have changed. Both events at once are one.
   */
  const renewing = (opened: Upstream): (() => void) => {
    let isUnderWay = false;
    return () => {
      if (isUnderWay || upstream !== opened) return;
      isUnderWay = true;
      void state.restoreWishes(opened).finally(() => {
        isUnderWay = false;
        if (upstream !== opened || hasLeft) return;
        for (const message of state.missed()) client.send(message).catch(() => undefined);
      });
    };
  };
  const refuse = (message: JSONRPCMessage, error: unknown): void => {
    // The next request tries anew: a server that was down may be up again.
    opening = undefined;
    if (isRequest(message)) client.send(errorResponse(message.id, error)).catch(() => undefined);
  };

  return {
    receive(message) {
      state.note(message);
      // It has ended and is still being cleared away.
      if (upstream?.transport.closeReason !== undefined) opening = upstream = undefined;
      // Whatever this belongs to ended with the connection.
      if (hasLeft || (opening === undefined && !isRequest(message))) return;
      opening ??= connect();
      opening.then(
        (forwarding) => forwarding.receive(message),
        (error: unknown) => refuse(message, error),
      );
    },
    async leave() {
      if (hasLeft) return;
      hasLeft = true;
      const forwarding = await opening?.catch(() => undefined);
      forwarding?.leave();
      await upstream?.transport.close();
    },
  };
}
