import type { Caller, Failure } from './protocol.js';

/**
 * What D-Bus says when a service ends before it has answered, when a library still asks for the one that has ended (by its
 * number on the bus), and when the bus has closed the connection.
 */
const SERVICE_GONE =
  /disconnected from message bus|without replying|connection (?:is |was )?(?:closed|reset)|broken pipe|\bNoReply\b|The name :\d+\.\d+ was not provided/i;

/** The bus has as many connections of this user as it allows. */
const BUS_FULL = /maximum number of active connections/i;

export function isBusFull({ kind, message }: Failure): boolean {
  return kind === 'driver' && BUS_FULL.test(message);
}

/** The service of the keychain went away in the middle of a call: it crashed, or was started again. */
export function isServiceGone({ kind, message }: Failure): boolean {
  return kind === 'driver' && SERVICE_GONE.test(message);
}

/**
 * Makes a call once more, on a new connection, when the service went away in the middle of it, or when the bus is full, for
 * which the connections of this program may be to blame. Each call can be made twice: a write puts the same text into the same item.
 */
export function onceMore(caller: Caller): Caller {
  return {
    ...caller,
    async call(call) {
      const outcome = await caller.call(call);
      if (outcome.ok || !(isServiceGone(outcome.failure) || isBusFull(outcome.failure))) return outcome;
      await caller.reconnect?.();
      return caller.call(call);
    },
  };
}
