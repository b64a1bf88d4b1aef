import type { ConnectionState } from '../contracts/state.js';

/** Whether a call can reach a server in this state: at once, or after a connection that the call waits for. */
export function isCallable(state: ConnectionState): boolean {
  switch (state.status) {
    case 'connected':
    case 'connecting':
    case 'pending':
      return true;
    case 'disconnected':
      return state.reason !== 'stopped';
    case 'disconnecting':
      return state.reason === 'idle';
    case 'disabled':
    case 'failed':
    case 'needs-auth':
      return false;
  }
}
