import type { RequestId } from '@mcp-fittings/client-core';

/** The wire of a test server, for {@link createKitPeer} to write to. */
export interface KitWire {
  /**
   * Sends one JSON value, which some cases deliberately make an invalid message. `route` says which stream it belongs to, for wires
   * on which requests have streams.
   */
  send(
    value: unknown,
    route: {
      /**
       * Id of the client's request that this message answers or accompanies. Absent for unsolicited messages. A response with this
       * `id` is the last message on that stream.
       */
      readonly relatedRequestId?: RequestId | undefined;
    },
  ): void;
  /** Writes text to the wire unchanged, including framing. Only for transports that declare `garbage`. */
  sendRaw?(text: string): void;
  /** Ends the peer abruptly: exits the process or destroys the socket. Required unless the fixture has `killPeer`. */
  die?(): void;
}

/** Stream that a message of the peer belongs to. */
export type KitRoute = Parameters<KitWire['send']>[1];
