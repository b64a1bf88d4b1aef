import type { TransportError } from '@mcp-fittings/client-core';
import type { JSONRPCObject, PacedSource, Pausable } from '@mcp-fittings/client-core/transport';
import { createRequestRedactor, redactRpcError } from '@mcp-fittings/net-policy';
import { createCredentials, createNetwork, pacedNetwork, type Network } from '@mcp-fittings/network';
import type { CheckedOptions } from './checked-options.js';
import type { MakeError } from './errors/make-error.js';
import type { Lifetime } from './lifetime.js';
import type { RequestFacts } from './messages/post-request.js';
import type { Encode } from './messages/encode.js';
import type { Inbox } from './reply/inbox.js';
import { replayHandshake } from './session/replay-handshake.js';
import { createSession, type Session } from './session/session.js';
import { createStandaloneStream, type StandaloneStream } from './stream/standalone-stream.js';
import { createExchanger, type Exchanger } from './wire/exchanger.js';

/** What the parts need of the transport that they make up. */
export interface TransportSide {
  readonly makeError: MakeError;
  readonly encode: Encode;
  readonly inbox: Inbox;
  /** Reads an event stream at the pace of the transport. */
  readonly paced: (source: Pausable) => PacedSource;
  /** Ends with the transport. */
  readonly lifetime: Lifetime;
  /** The negotiated revision, once it is known. */
  readonly revision: () => string | undefined;
  readonly onInitialized: (result: JSONRPCObject) => void;
  readonly onRestored: (result: JSONRPCObject) => void;
  /** The event stream is open, for the first time or again. */
  readonly onStreamOpen: () => void;
  readonly report: (error: Error) => void;
  readonly fail: (error: TransportError) => void;
  readonly guard: (callback: () => unknown) => void;
}

export interface Parts {
  readonly network: Network;
  readonly session: Session;
  readonly exchange: Exchanger;
  readonly standalone: StandaloneStream;
  /** What requests and other messages share. */
  readonly facts: RequestFacts;
}

/** Makes the parts of one connection and joins them. */
export function createParts(options: CheckedOptions, side: TransportSide): Parts {
  const { url, server, headers, maxMessageBytes, reconnect, clock, random } = options;
  const { makeError, encode, lifetime, revision } = side;
  const redactor = createRequestRedactor(headers, url);
  const inbox: Inbox = {
    ...side.inbox,
    receive: (value) => side.inbox.receive(redactRpcError(value, redactor.redact)),
  };

  const network = createNetwork({
    ...options.network,
    url,
    server,
    headers,
    maxBodyBytes: maxMessageBytes,
    logger: options.network.logger ?? options.logger,
    clock,
  });
  const session = createSession({
    makeError,
    replay: (lost) => replayHandshake(lost, { ...shared, session, lifetime }),
    onIncompatible: side.fail,
    onRestored: side.onRestored,
  });
  const exchange = createExchanger({
    url,
    network: pacedNetwork(network, side.paced),
    session,
    credentials: createCredentials({
      url,
      server,
      provider: options.auth,
      configured: Object.hasOwn(headers, 'authorization'),
    }),
    signs: options.auth !== undefined,
    retryLater: options.retryLater,
    clock,
    random,
    redactor,
    makeError,
    onAccepted: ({ verb }) => {
      if (verb === 'POST') standalone.noticeLife();
    },
  });
  const shared = {
    server,
    maxMessageBytes,
    makeError,
    encode,
    inbox,
    exchange,
    reconnect,
    clock,
    random,
    revision,
    redact: redactor.redact,
  };
  const standalone = createStandaloneStream({
    ...shared,
    lifetime,
    report: side.report,
    onOpen: side.onStreamOpen,
    onSessionGone: () => session.restore(session.id),
  });
  return {
    network,
    session,
    exchange,
    standalone,
    facts: { ...shared, session, onInitialized: side.onInitialized, guard: side.guard },
  };
}
