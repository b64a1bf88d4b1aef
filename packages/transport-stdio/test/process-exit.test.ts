import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { expect, it } from 'vitest';
import { waitForEnd, type ProcessEnd } from '../src/process/process-exit.js';

/** A process as Node shows it, whose events come when the test says so. */
function watched() {
  const child = new EventEmitter();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const clock = createManualClock();
  const exited = new Promise<void>((resolve) => child.once('exit', resolve));
  const seen: { ending?: ProcessEnd } = {};
  void waitForEnd({ child, stdin, stdout, exited, clock }).then((ending) => {
    seen.ending = ending;
  });
  return { child, stdin, stdout, clock, seen };
}

const EXITED = { kind: 'exited', exitCode: 3, signal: null };

it('waits after the exit until the pipes are empty', async () => {
  const { child, clock, seen } = watched();
  child.emit('exit', 3, null);
  await clock.advance(200);
  expect(seen.ending).toBeUndefined();
  child.emit('close');
  await clock.advance(0);
  expect(seen.ending).toEqual(EXITED);
});

it('waits a quarter of a second at most: another process may hold the pipes', async () => {
  const { child, clock, seen } = watched();
  child.emit('exit', 3, null);
  await clock.advance(249);
  expect(seen.ending).toBeUndefined();
  await clock.advance(1);
  await clock.advance(0);
  expect(seen.ending).toEqual(EXITED);
});

it('reports the exit when a pipe was closed by it', async () => {
  const { child, stdin, stdout, clock, seen } = watched();
  stdout.destroy();
  stdin.destroy(new Error('EPIPE'));
  await clock.advance(400);
  child.emit('exit', 3, null);
  child.emit('close');
  await clock.advance(1000);
  expect(seen.ending).toEqual(EXITED);
});

it('names the pipe that a running server has closed', async () => {
  const out = watched();
  out.stdout.destroy();
  await out.clock.advance(500);
  expect(out.seen.ending).toEqual({ kind: 'stdout-closed' });
  const broken = watched();
  const cause = new Error('EPIPE');
  broken.stdin.destroy(cause);
  await broken.clock.advance(500);
  expect(broken.seen.ending).toEqual({ kind: 'stdin-closed', cause });
});

it('accepts the late error of a missing command on Windows', async () => {
  const { child, clock, seen } = watched();
  const cause = Object.assign(new Error('spawn x ENOENT'), { code: 'ENOENT' });
  child.emit('error', cause);
  await clock.advance(0);
  expect(seen.ending).toEqual({ kind: 'failed', cause });
});
