import type { RequestId } from '@mcp-fittings/client-core/transport';

/** Where a message of the peer belongs, for wires on which it travels on the stream of a request. */
export interface KitRoute {
  /**
   * The client's request that this message answers or accompanies; absent for what the peer sends unasked. A
   * response whose `id` equals it is the last message on that stream.
   */
  readonly relatedRequestId?: RequestId | undefined;
}

/** What a test server gives the peer: its side of the wire. */
export interface KitWire {
  /** Puts one JSON value on the wire; not always a well-formed message, that is the point of some cases. */
  send(value: unknown, route: KitRoute): void;
  /** Puts text on the wire as it is, framing included. Only for transports that declare `garbage`. */
  sendRaw?(text: string): void;
  /** Ends the peer abruptly: exit the process, destroy the socket. */
  die?(): void;
}
