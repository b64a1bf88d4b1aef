import { FittingsError, TransportError, type JSONRPCObject } from '@mcp-fittings/client-core/transport';

/** How a session came about, so that the same can be asked for again. */
export interface Handshake {
  /** Parameters of `initialize`, as the protocol engine gave them. */
  readonly params: JSONRPCObject | undefined;
  /** What the server answered. */
  readonly result: JSONRPCObject;
}

/** What the session asks of the transport that it belongs to. */
export interface SessionHandlers {
  /**
   * Sends `initialize` with these parameters, then `notifications/initialized`; calls `offer` and `establish` on the
   * way. Settles with the new result; rejects with `VERSION_UNSUPPORTED` when the revision is another one.
   */
  replay(lost: Handshake): Promise<JSONRPCObject>;
  /** The new session has another revision than the lost one, so that the protocol engine cannot go on. */
  onIncompatible(error: TransportError): void;
  onRestored(result: JSONRPCObject): void;
}

/** What the server knows of us, in revisions before 2026-07-28. Its id is a secret. */
export class Session {
  handlers: SessionHandlers | undefined;
  #id: string | undefined;
  #handshake: Handshake | undefined;
  #isProven = false;
  #hasStreamed = false;
  #restoration: Promise<void> | undefined;

  /** To be sent with every message; undefined when the server gave none. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The id, once `initialize` has a result. */
  get establishedId(): string | undefined {
    return this.#handshake === undefined ? undefined : this.#id;
  }

  /** The server has accepted something else than `initialize` in it. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** The server has opened an event stream in it. */
  get hasStreamed(): boolean {
    return this.#hasStreamed;
  }

  /** Settles when the restoration that is under way has ended, well or not. */
  get restoring(): Promise<void> | undefined {
    return this.#restoration?.catch(() => undefined);
  }

  /** `initialize` was answered 2xx; its header may name the session. Throws on a name that cannot be sent back. */
  offer(sessionIdHeader: string | undefined): void {
    this.#begin(checkSessionId(sessionIdHeader));
  }

  /** The answer is a result: the session exists. */
  establish(handshake: Handshake): void {
    this.#handshake = handshake;
  }

  /** `initialize` goes out, or failed: there is no session. */
  forget(): void {
    this.#begin(undefined);
    this.#handshake = undefined;
  }

  /** A message was accepted under this id. */
  worked(usedId: string | undefined, method: string): void {
    if (usedId !== this.#id) return;
    this.#isProven = true;
    if (method === 'GET') this.#hasStreamed = true;
  }

  /**
   * The server no longer knows this id: opens a new session once for all that ask. Rejects with `SESSION_LOST`, or with
   * the error of sign-in.
   */
  restore(lostId: string | undefined): Promise<void> {
    const handshake = this.#handshake;
    // It is restored already, or was never established.
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
    const { handlers } = this;
    if (handlers === undefined) return;
    const before = { id: this.#id, isProven: this.#isProven, hasStreamed: this.#hasStreamed };
    let result: JSONRPCObject;
    try {
      result = await handlers.replay(lost);
    } catch (cause) {
      if (cause instanceof TransportError && cause.code === 'VERSION_UNSUPPORTED') {
        const error = sessionLost(cause);
        handlers.onIncompatible(error);
        throw error;
      }
      // With the old id the next message finds out again, and tries again.
      this.#id = before.id;
      this.#isProven = before.isProven;
      this.#hasStreamed = before.hasStreamed;
      this.#handshake = lost;
      // Who cannot sign in any more is told that, and not that a session was lost.
      throw cause instanceof FittingsError && cause.kind === 'auth' ? cause : sessionLost(cause);
    }
    handlers.onRestored(result);
  }
}

function sessionLost(cause: unknown): TransportError {
  const { message, retryable } =
    cause instanceof FittingsError ? cause : { message: String(cause), retryable: undefined };
  return new TransportError(
    'SESSION_LOST',
    `The server forgot the session, and there is no new one: ${message}`,
    {
      cause,
      retryable,
      delivery: 'rejected',
      hint: 'Connect again.',
    },
  );
}

/** Visible ASCII only, says the specification; more than this many of them leave no room for other headers. */
const VALID_ID = /^[\x21-\x7e]{1,4096}$/;

/** The session id of a reply to `initialize`, if it gives one. Throws `PROTOCOL_VIOLATION` on one that cannot be sent back. */
function checkSessionId(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (VALID_ID.test(value)) return value;
  const message = `The server gave a session id that may not be used (${value.length} characters).`;
  throw new TransportError('PROTOCOL_VIOLATION', message, {
    delivery: 'unknown',
    hint: 'A session id holds visible ASCII characters only, at most 4096.',
  });
}
