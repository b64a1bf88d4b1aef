import { FittingsError, type JSONRPCObject, TransportError } from '@mcp-fittings/client-core';

/** Says how a session was opened, so that it can be opened again. */
export interface Handshake {
  /** Parameters of `initialize`, as the protocol engine sent them. */
  readonly params: JSONRPCObject | undefined;
  /** Result of `initialize`. */
  readonly result: JSONRPCObject;
}

/** Called by the session on its connection. */
interface SessionHandlers {
  /**
   * Sends `initialize` with these parameters, then `notifications/initialized`, and calls `offer` and `establish` in between.
   * Resolves with the new result; rejects with `VERSION_UNSUPPORTED` if the revision has changed.
   */
  replay(lost: Handshake): Promise<JSONRPCObject>;
  /** Called when the new session has another revision than the lost one, so that the protocol engine cannot continue. */
  onIncompatible(error: TransportError): void;
  onRestored(result: JSONRPCObject): void;
}

/** The session with the server, in revisions before 2026-07-28. Its id is a secret. */
export class Session {
  readonly #handlers: SessionHandlers;
  #id: string | undefined;
  #handshake: Handshake | undefined;
  #isProven = false;
  #hasStreamed = false;
  #restoration: Promise<void> | undefined;

  constructor(handlers: SessionHandlers) {
    this.#handlers = handlers;
  }

  /** Id to send with every message; undefined if the server did not assign one. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The id, once `initialize` has a result. */
  get establishedId(): string | undefined {
    return this.#handshake === undefined ? undefined : this.#id;
  }

  /** Tells whether the server has accepted a message other than `initialize` in the session. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Tells whether the server has opened an event stream in the session. */
  get hasStreamed(): boolean {
    return this.#hasStreamed;
  }

  /** Resolves when the current attempt to restore the session has ended; undefined if there is no such attempt. */
  get restoring(): Promise<void> | undefined {
    return this.#restoration?.catch(() => undefined);
  }

  /** Takes the session id, if there is one, of a 2xx reply to `initialize`. Throws for an id that cannot be sent back. */
  offer(sessionIdHeader: string | undefined): void {
    this.#begin(checkSessionId(sessionIdHeader));
  }

  /** Notes that `initialize` has a result, so the session exists. */
  establish(handshake: Handshake): void {
    this.#handshake = handshake;
  }

  /** Notes that there is no session, because `initialize` is about to be sent, or failed. */
  forget(): void {
    this.#begin(undefined);
    this.#handshake = undefined;
  }

  /** Notes that the server accepted a message with this session id. */
  worked(usedId: string | undefined, method: string): void {
    if (usedId !== this.#id) return;
    this.#isProven = true;
    if (method === 'GET') this.#hasStreamed = true;
  }

  /**
   * Opens a new session, once for all callers, because the server no longer knows this id. Rejects with `SESSION_LOST`, or with the error of
   * sign-in.
   */
  restore(lostId: string | undefined): Promise<void> {
    const handshake = this.#handshake;
    // The session is restored already, or was never established.
    if (this.#restoration === undefined && (lostId !== this.#id || handshake === undefined))
      return Promise.resolve();
    if (handshake !== undefined) {
      this.#restoration ??= this.#renew(handshake).finally(() => (this.#restoration = undefined));
    }
    return this.#restoration ?? Promise.resolve();
  }

  #begin(id: string | undefined): void {
    this.#id = id;
    this.#isProven = false;
    this.#hasStreamed = false;
  }

  async #renew(lost: Handshake): Promise<void> {
    const before = { id: this.#id, isProven: this.#isProven, hasStreamed: this.#hasStreamed };
    let result: JSONRPCObject;
    try {
      result = await this.#handlers.replay(lost);
    } catch (cause) {
      if (cause instanceof TransportError && cause.code === 'VERSION_UNSUPPORTED') {
        const error = sessionLost(cause);
        this.#handlers.onIncompatible(error);
        throw error;
      }
      // With the old id, the next message is refused too, and tries again.
      this.#id = before.id;
      this.#isProven = before.isProven;
      this.#hasStreamed = before.hasStreamed;
      this.#handshake = lost;
      // A failed sign-in is reported as such, not as a lost session.
      throw cause instanceof FittingsError && cause.kind === 'auth' ? cause : sessionLost(cause);
    }
    this.#handlers.onRestored(result);
  }
}

function sessionLost(cause: unknown): TransportError {
  const { message, retryable } =
    cause instanceof FittingsError ? cause : { message: String(cause), retryable: undefined };
  return new TransportError(
    'SESSION_LOST',
    `The server has forgotten the session, and opening a new one failed. ${message}`,
    {
      cause,
      retryable,
      delivery: 'rejected',
      hint: 'Reconnect to the server.',
    },
  );
}

/** The specification allows visible ASCII only. A longer id leaves no room for other headers. */
const VALID_ID = /^[\x21-\x7e]{1,4096}$/;

/** Returns the session id of a reply to `initialize`. Throws `PROTOCOL_VIOLATION` for an id that cannot be sent back. */
function checkSessionId(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (VALID_ID.test(value)) return value;
  const message = `The server assigned an invalid session id of ${value.length} characters.`;
  throw new TransportError('PROTOCOL_VIOLATION', message, {
    delivery: 'unknown',
    hint: 'A session id has 1 to 4096 visible ASCII characters.',
  });
}
