import type { ConnectionState, Host } from '@mcp-fittings/host';

/** The states of one server, in order, as words: `connecting/handshake`, `pending 2`. */
export function recordStates(host: Host, server: string): readonly string[] {
  const states: string[] = [];
  host.on('state', (event) => {
    if (event.server === server) states.push(inWords(event.state));
  });
  return states;
}

function inWords(state: ConnectionState): string {
  if (state.status === 'connecting') return `connecting/${state.phase}`;
  if (state.status === 'pending') return `pending ${state.attempt}`;
  if (state.status === 'disconnected') return `disconnected/${state.reason}`;
  return state.status;
}

/** Resolves when the server is in this state, now or later. */
export function reaches(
  host: Host,
  server: string,
  status: ConnectionState['status'],
): Promise<ConnectionState> {
  return new Promise((resolve) => {
    const { state } = host.server(server);
    if (state.status === status) return resolve(state);
    const subscription = host.on('state', (event) => {
      if (event.server !== server || event.state.status !== status) return;
      subscription[Symbol.dispose]();
      resolve(event.state);
    });
  });
}
