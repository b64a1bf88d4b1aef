import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A desktop's bus takes many more; a bus with the default limits takes 256 of all programs of a user. */
const CALLS = 16;

/**
 * For the helper only: call it after every call of the driver. `@napi-rs/keyring` opens a connection to the session bus for each
 * item, and closes it when the garbage collector frees the item's object. V8 sees a few bytes, not the connection, and waits:
 * 70 connections were open at once, and several programs together filled the bus. A run of the collector in this small process
 * takes about a millisecond.
 */
export function freeConnections(): () => void {
  let calls = 0;
  let collect: unknown;
  try {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  } catch {
    // Not V8: then it is left to the runtime.
  }
  return () => {
    if (typeof collect === 'function' && ++calls % CALLS === 0) collect();
  };
}
