import type { RequestId } from '@mcp-fittings/client-core';

/** Which stream a message of the peer belongs to, for wires on which requests have streams. */
export interface KitRoute {
  /**
   * Id of the client's request that this message answers or accompanies. Absent for unsolicited messages. A response with this
   * `id` is the last message on that stream.
   */
  readonly relatedRequestId?: RequestId | undefined;
}

/** The wire of a test server, for {@link createKitPeer} to write to. */
export interface KitWire {
  /** Sends one JSON value, which some cases deliberately make an invalid message. */
  send(value: unknown, route: KitRoute): void;
  /** Writes text to the wire unchanged, including framing. Only for transports that declare `garbage`. */
  sendRaw?(text: string): void;
  /** Ends the peer abruptly: exits the process or destroys the socket. Required unless the fixture has `killPeer`. */
  die?(): void;
}
