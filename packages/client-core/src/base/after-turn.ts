/**
 * Runs `task` in a later turn of the event loop, after timers and sockets had theirs. A message channel carries it:
 * test runners replace `setTimeout` and `setImmediate`, and no message may depend on a clock that a test has stopped.
 * Until then it keeps the process alive.
 */
export function afterTurn(task: () => void): void {
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    task();
  };
  // Assigned like this because the types of Node do not know the member of the web standard, which Node has.
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}
