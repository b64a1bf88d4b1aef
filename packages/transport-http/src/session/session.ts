import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { MakeError } from '../errors/make-error.js';
import { sessionIdOf } from './session-id.js';

/** How a session came about, so that the same can be asked for again. */
export interface Handshake {
  /** Parameters of `initialize`, as the protocol engine gave them. */
  readonly params: JSONRPCObject | undefined;
  /** What the server answered. */
  readonly result: JSONRPCObject;
}

/** What the server knows of us, in revisions before 2026-07-28. Its id is a secret. */
export interface Session {
  /** To be sent with every message; undefined when the server gave none. */
  readonly id: string | undefined;
  /** The id, once `initialize` has a result. */
  readonly establishedId: string | undefined;
  /** The server has accepted something else than `initialize` in it. */
  readonly isProven: boolean;
  /** The server has opened an event stream in it. */
  readonly hasStreamed: boolean;
  /** Settles when the restoration that is under way has ended, well or not. */
  readonly restoring: Promise<void> | undefined;

  /** `initialize` was answered 2xx; its header may name the session. Throws on a name that can't be used. */
  offer(sessionIdHeader: string | undefined): void;
  /** The answer is a result: the session exists. */
  establish(handshake: Handshake): void;
  /** `initialize` goes out, or failed: there is no session. */
  forget(): void;
  /** A message was accepted under this id. */
  worked(id: string | undefined, verb: string): void;
  /**
   * The server no longer knows this id: opens a new session once for all that ask. Rejects with `SESSION_LOST`, or with
   * the error of sign-in.
   */
  restore(lostId: string | undefined): Promise<void>;
}

export interface SessionOptions {
  readonly makeError: MakeError;
  /**
   * Sends `initialize` with these parameters, then `notifications/initialized`; calls `offer` and `establish` on the
   * way. Settles with the new result; rejects with `VERSION_UNSUPPORTED` when the revision is another one.
   */
  readonly replay: (lost: Handshake) => Promise<JSONRPCObject>;
  /** The new session has another revision than the lost one, so that the protocol engine can't go on. */
  readonly onIncompatible: (error: TransportError) => void;
  readonly onRestored: (result: JSONRPCObject) => void;
}

export function createSession(options: SessionOptions): Session {
  const { makeError, replay, onIncompatible, onRestored } = options;
  let id: string | undefined;
  let handshake: Handshake | undefined;
  let isProven = false;
  let hasStreamed = false;
  let restoration: Promise<void> | undefined;

  const begin = (newId: string | undefined): void => {
    id = newId;
    isProven = false;
    hasStreamed = false;
  };

  const renew = async (lost: Handshake): Promise<void> => {
    const lostId = id;
    const before = { isProven, hasStreamed };
    let result: JSONRPCObject;
    try {
      result = await replay(lost);
    } catch (cause) {
      if (cause instanceof TransportError && cause.code === 'VERSION_UNSUPPORTED') {
        const error = sessionLostError(cause, makeError);
        onIncompatible(error);
        throw error;
      }
      // With the old id the next message finds out again, and tries again.
      begin(lostId);
      ({ isProven, hasStreamed } = before);
      handshake = lost;
      throw sessionLost(cause, makeError);
    }
    onRestored(result);
  };

  return {
    get id() {
      return id;
    },
    get establishedId() {
      return handshake === undefined ? undefined : id;
    },
    get isProven() {
      return isProven;
    },
    get hasStreamed() {
      return hasStreamed;
    },
    get restoring() {
      return restoration?.catch(() => undefined);
    },
    offer(header) {
      begin(sessionIdOf(header, makeError));
    },
    establish(made) {
      handshake = made;
    },
    forget() {
      begin(undefined);
      handshake = undefined;
    },
    worked(usedId, verb) {
      if (usedId !== id) return;
      isProven = true;
      if (verb === 'GET') hasStreamed = true;
    },
    restore(lostId) {
      // It is restored already, or was never established.
      if (restoration === undefined && (lostId !== id || handshake === undefined)) return Promise.resolve();
      if (handshake !== undefined) restoration ??= renew(handshake).finally(() => (restoration = undefined));
      return restoration ?? Promise.resolve();
    },
  };
}

/** Who can't sign in any more is told that, and not that a session was lost. */
function sessionLost(cause: unknown, makeError: MakeError): Error {
  return cause instanceof FittingsError && cause.kind === 'auth' ? cause : sessionLostError(cause, makeError);
}

function sessionLostError(cause: unknown, makeError: MakeError): TransportError {
  const { message, retryable } =
    cause instanceof FittingsError ? cause : { message: String(cause), retryable: undefined };
  return makeError('SESSION_LOST', `The server forgot the session, and there is no new one: ${message}`, {
    cause,
    retryable,
    delivery: 'rejected',
    hint: 'Connect again.',
  });
}
