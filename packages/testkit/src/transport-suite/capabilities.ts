/** Features of a transport. They decide which cases exist. The defaults are those of a plain two-way byte stream, such as stdio. */
export interface TransportCapabilities {
  /** The peer can send several messages while a request is open. False for HTTP with JSON responses. Default true. */
  readonly peerMessages?: boolean | undefined;
  /** The peer can send requests and read the responses. Default true. */
  readonly peerRequests?: boolean | undefined;
  /** The peer can send messages that belong to no request. Default true. */
  readonly unsolicited?: boolean | undefined;
  /** Messages arrive in the order of the `send()` calls, without awaiting them. False if each is an exchange of its own. Default true. */
  readonly orderedSends?: boolean | undefined;
  /**
   * Effect that the transport notices when the peer dies: the end of the `connection`, only the loss of each open `request` (there is no
   * connection between requests), or `nothing`. Default `connection`.
   */
  readonly peerDeath?: 'connection' | 'request' | 'nothing' | undefined;
  /** Characters of the text that the case for large messages sends both ways; 0 for no such case. Default 4 194 304. */
  readonly largeMessageLength?: number | undefined;
  /** `send()` waits while the peer does not read. The fixture needs `pausePeer` and `resumePeer`. Default false. */
  readonly backPressure?: boolean | undefined;
  /** Messages are written as JSON, so that a value that JSON cannot represent is rejected. Default true. */
  readonly serializes?: boolean | undefined;
  /** The transport accepts an `AbortSignal`: `setup` passes `options.signal` on. Default false. */
  readonly signal?: boolean | undefined;
  /** The transport accepts the name of its server: `setup` passes `options.server` on. Default false. */
  readonly serverName?: boolean | undefined;
  /** Every request has a stream of its own, as in Streamable HTTP. Default false. */
  readonly perRequestStream?: boolean | undefined;
  /** `initialize` has to come first, as in HTTP with sessions. Default false. */
  readonly handshake?: boolean | undefined;
  /** The server assigns a session id in its response to `initialize`. Needs `handshake`. Default false. */
  readonly sessionId?: boolean | undefined;
  /** Texts, including framing, that the peer may write between two messages without ending the connection. Default none. */
  readonly garbage?: readonly string[] | undefined;
}

/** The capabilities with all defaults filled in. */
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
