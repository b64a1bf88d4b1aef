/**
 * The program of the helper process: requests as JSON lines on stdin, responses on stdout, the driver as JSON in the
 * only argument. Whatever native code does here, crash or hang, ends with this process.
 */
import { createInterface } from 'node:readline';
import type { DriverSpec } from '../drivers/driver-spec.js';
import type { KeytarLike } from '../drivers/keytar-like.js';
import { loadDriver } from '../drivers/load-driver.js';
import { carryOut, failureOf } from './carry-out.js';
import { freeConnections } from './free-connections.js';
import type { Outcome, Request, Response } from './protocol.js';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by helper-process.ts of the same version
const spec = JSON.parse(process.argv[2] ?? 'null') as DriverSpec;
let driver: Promise<KeytarLike> | undefined;
const afterCall = freeConnections();

async function outcomeOf(request: Request): Promise<Outcome> {
  driver ??= loadDriver(spec);
  let loaded: KeytarLike;
  try {
    loaded = await driver;
  } catch (error) {
    return { ok: false, failure: failureOf('load', error) };
  }
  return carryOut(loaded, request);
}

function say(line: Response | { readonly ready: true }): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const request = JSON.parse(line) as Request;
  void outcomeOf(request).then((outcome) => {
    say({ id: request.id, ...outcome });
    afterCall();
  });
});
// The host is gone. Not process.exit(): that waits for native threads, which may hang.
lines.on('close', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C in the terminal reaches this process too; the host may still have tokens to save before it ends.
process.on('SIGINT', () => undefined);
say({ ready: true });
