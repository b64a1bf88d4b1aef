/**
 * The program of the helper process. It reads requests as JSON lines from stdin, writes responses to stdout, and receives the
 * driver as JSON in its only argument. A crash or hang of native code affects only this process.
 */
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HelperRequest, HelperResponse } from './driver-protocol.js';
import { createInvoker } from './invoke-driver.js';
import type { DriverSpec } from './keychain-driver.js';
import { loadDriver } from './load-driver.js';

/** Far below the limit of a desktop's bus; a bus with the default limits allows 256 connections per user. */
const CALLS_PER_COLLECTION = 16;

/**
 * Returns a function to call after every call of the driver. `@napi-rs/keyring` opens a connection to the session bus for each
 * item, and closes it when the item's object is garbage collected. V8 sees a few bytes, not the connection, and waits: 70
 * connections were open at once, and several programs together filled the bus. A garbage collection in this small process
 * takes about a millisecond.
 */
function createConnectionCollector(): () => void {
  let calls = 0;
  let collect: unknown;
  try {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  } catch {
    // Not V8: the runtime collects when it wants.
  }
  return () => {
    if (typeof collect === 'function' && ++calls % CALLS_PER_COLLECTION === 0) collect();
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by helper-process.ts of the same version
const spec = JSON.parse(process.argv[2] ?? 'null') as DriverSpec;
const invoke = createInvoker(() => loadDriver(spec));
const collectConnections = createConnectionCollector();

function send(line: HelperResponse | { readonly ready: true }): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const request = JSON.parse(line) as HelperRequest;
  void invoke(request).then((result) => {
    send({ id: request.id, ...result });
    collectConnections();
  });
});
// The host has exited. process.exit() would wait for native threads, which may hang.
lines.on('close', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C in the terminal reaches this process too; the host may still have to save tokens before it exits.
process.on('SIGINT', () => undefined);
send({ ready: true });
