/**
 * A control channel over a port to another thread: the wire of these tests, and how a host would write one.
 * @param {import('node:worker_threads').MessagePort | import('node:worker_threads').Worker} port
 * @returns {import('@mcp-fittings/transport-inprocess').ControlChannel}
 */
export function portChannel(port) {
  const gone = 'terminate' in port ? 'exit' : 'close';
  return {
    send: (server, message) => port.postMessage({ server, message }),
    closed: (server) => port.postMessage({ server, closed: true }),
    subscribe(listener) {
      /** @param {{ server?: unknown, message?: unknown, closed?: unknown }} envelope */
      const onMessage = (envelope) => {
        if (envelope?.closed === true) listener.closed(envelope.server);
        else listener.message(envelope?.server, envelope?.message);
      };
      const onGone = () => listener.closed();
      port.on('message', onMessage);
      port.on(gone, onGone);
      return () => {
        port.off('message', onMessage);
        port.off(gone, onGone);
      };
    },
  };
}
