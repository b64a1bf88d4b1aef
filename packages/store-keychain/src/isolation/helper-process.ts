import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { isRecord, type Clock } from '@mcp-fittings/client-core';
import { createLineReader } from '@mcp-fittings/client-core/transport';
import { storeError } from '@mcp-fittings/store-file/toolkit';
import type { DriverSpec } from '../drivers/driver-spec.js';
import { helperEnvironment, helperRuntime } from './helper-environment.js';
import type { Call, Failure, Outcome, Request, Response } from './protocol.js';

export interface HelperOptions {
  readonly driver: DriverSpec;
  /** One call may take so long, milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly execPath?: string | undefined;
}

/** One helper process. When one of its calls hangs, it is killed, and with it the others that are under way. */
export interface Helper {
  /** Settles in any case. */
  call(call: Call): Promise<Outcome>;
  /** False: it takes no more calls. */
  readonly alive: boolean;
  /** Kills it, and resolves when it is gone. */
  end(): Promise<void>;
}

/** To start a process and load its program takes 50 ms, on a machine that has much else to do a few seconds. */
const START_MS = 10_000;
const MAX_LINE_BYTES = 4 * 1024 * 1024;

interface Pending {
  settle(outcome: Outcome): void;
  timer?: Disposable;
}

export function startHelper(options: HelperOptions): Helper {
  const { driver, timeoutMs, clock } = options;
  const child = spawn(helperRuntime(options.execPath), [helperProgram(), JSON.stringify(driver)], {
    // Not to be read, stderr must not fill up; and what native libraries write there is not meant for the host's.
    stdio: ['pipe', 'pipe', 'ignore'],
    env: helperEnvironment(),
    windowsHide: true,
  });
  const pending = new Map<number, Pending>();
  /** What is sent when the helper says that it is ready; undefined from then on. */
  let unsent: (() => void)[] | undefined = [];
  let alive = true;
  let lastId = 0;

  const settle = (id: number, outcome: Outcome): void => {
    const waiting = pending.get(id);
    pending.delete(id);
    waiting?.timer?.[Symbol.dispose]();
    waiting?.settle(outcome);
  };
  const giveUp = (failure: Failure): void => {
    alive = false;
    starting[Symbol.dispose]();
    child.kill('SIGKILL');
    for (const id of pending.keys()) settle(id, { ok: false, failure });
  };
  const late = (what: string, ms: number): Failure => ({
    kind: 'timeout',
    message: `${what} within ${ms} ms; its process was killed`,
  });
  const starting = clock.schedule(() => giveUp(late('The helper did not start', START_MS)), START_MS);

  const reader = createLineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine(line) {
      const message = line.kind === 'text' ? parsed(line.text) : undefined;
      if (message === undefined) return;
      if (!('ready' in message)) return settle(message.id, message);
      starting[Symbol.dispose]();
      for (const send of unsent ?? []) send();
      unsent = undefined;
    },
  });
  child.stdout.on('data', (chunk: Uint8Array) => reader.push(chunk));
  // A write to a helper that has just died; `close` says so too.
  child.stdin.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      giveUp({ kind: 'crash', message: `The helper process ended (${signal ?? `exit code ${code}`})` });
      resolve();
    });
    child.once('error', (error) => {
      giveUp({ kind: 'crash', message: `The helper process could not be started: ${error.message}` });
      resolve();
    });
  });
  // Only the timer of a call that is under way keeps the host's process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();

  return {
    call: (call) =>
      new Promise((resolve) => {
        const id = ++lastId;
        const entry: Pending = { settle: resolve };
        pending.set(id, entry);
        const send = (): void => {
          entry.timer = clock.schedule(
            () => giveUp(late('The keychain did not answer', timeoutMs)),
            timeoutMs,
          );
          child.stdin.write(`${JSON.stringify({ ...call, id } satisfies Request)}\n`);
        };
        if (unsent === undefined) send();
        else unsent.push(send);
      }),
    get alive() {
      return alive;
    },
    end() {
      child.ref();
      giveUp({ kind: 'crash', message: 'The helper process was ended' });
      return gone;
    },
  };
}

/** By the package's own name: from its source and from where it is installed, that leads to what was built. */
function helperProgram(): string {
  try {
    return createRequire(import.meta.url).resolve('@mcp-fittings/store-keychain/helper');
  } catch (cause) {
    throw storeError(
      'STORE_UNAVAILABLE',
      'The program of the keychain helper is not where it was installed.',
      {
        cause,
        hint: "Leave this package out of the bundle, or pass `isolation: 'in-process'`.",
        retryable: false,
        details: { state: 'unavailable' },
      },
    );
  }
}

/** Undefined for a line that is not the helper's: native libraries write where they like. */
function parsed(line: string): Response | { readonly ready: true } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || !('ready' in value || 'id' in value)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by helper-main.ts of the same version
    return value as Response | { readonly ready: true };
  } catch {
    return undefined;
  }
}
