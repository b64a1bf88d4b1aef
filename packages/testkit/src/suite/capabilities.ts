/**
 * What a wire can do, declared as data: it decides which cases exist. Every member has the default of a plain
 * two-way byte stream, such as stdio.
 */
export interface TransportCapabilities {
  /** The peer can send several messages while a request is open. False: HTTP with JSON replies. Default true. */
  readonly peerMessages?: boolean | undefined;
  /** The peer can send requests and read the answers. Default true. */
  readonly peerRequests?: boolean | undefined;
  /** The peer can send messages that belong to no request. Default true. */
  readonly unsolicited?: boolean | undefined;
  /** Sends that are not awaited arrive in the order of the calls. False: each message is an exchange of its own. Default true. */
  readonly orderedSends?: boolean | undefined;
  /**
   * What the transport notices when the peer dies: the end of the `connection`, only the loss of each open `request`
   * (no connection is held between requests), or `nothing`. Default `connection`.
   */
  readonly peerDeath?: 'connection' | 'request' | 'nothing' | undefined;
  /** Characters of the text that is sent both ways in the case for large messages; 0 for no such case. Default 4 194 304. */
  readonly largeMessageLength?: number | undefined;
  /** `send` waits while the peer does not read; the fixture then has `pausePeer` and `resumePeer`. Default false. */
  readonly backPressure?: boolean | undefined;
  /** Messages are written as JSON, so that a value JSON can't hold is refused. Default true. */
  readonly serializes?: boolean | undefined;
  /** The transport takes an `AbortSignal`: `setup` passes on `options.signal`. Default false. */
  readonly signal?: boolean | undefined;
  /** The transport is told the name of its server: `setup` passes on `options.server`. Default false. */
  readonly serverName?: boolean | undefined;
  /** Every request has a stream of its own, as in Streamable HTTP. Default false. */
  readonly perRequestStream?: boolean | undefined;
  /** `initialize` has to come first, as in HTTP with sessions. Default false. */
  readonly handshake?: boolean | undefined;
  /** The server gives a session id in its answer to `initialize`. Needs `handshake`. Default false. */
  readonly sessionId?: boolean | undefined;
  /** Texts, framing included, that the peer may put on the wire between two messages and that are survived. Default none. */
  readonly garbage?: readonly string[] | undefined;
}

/** The same with every default filled in. */
export type Capabilities = {
  readonly [Name in keyof TransportCapabilities]-?: NonNullable<TransportCapabilities[Name]>;
};

export function withDefaults(declared: TransportCapabilities): Capabilities {
  return {
    peerMessages: declared.peerMessages ?? true,
    peerRequests: declared.peerRequests ?? true,
    unsolicited: declared.unsolicited ?? true,
    orderedSends: declared.orderedSends ?? true,
    peerDeath: declared.peerDeath ?? 'connection',
    largeMessageLength: declared.largeMessageLength ?? 4 * 1024 * 1024,
    backPressure: declared.backPressure ?? false,
    serializes: declared.serializes ?? true,
    signal: declared.signal ?? false,
    serverName: declared.serverName ?? false,
    perRequestStream: declared.perRequestStream ?? false,
    handshake: declared.handshake ?? false,
    sessionId: declared.sessionId ?? false,
    garbage: declared.garbage ?? [],
  };
}
