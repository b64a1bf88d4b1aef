import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { createLineReader } from '@mcp-fittings/toolbox/framing';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { ownProgram, type OwnProgram } from '@mcp-fittings/toolbox/own-program';
import { storeError } from '@mcp-fittings/toolbox/stores';
import type {
  DriverCall,
  DriverConnection,
  DriverFailure,
  DriverResult,
  HelperRequest,
  HelperResponse,
} from './driver-protocol.js';
import type { DriverSpec } from './keychain-driver.js';

export interface HelperOptions {
  readonly driver: DriverSpec;
  /** Longest wait for one call, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly execPath?: string | undefined;
}

/** Ends a helper that has not been used for this long; the next one starts in a tenth of a second. */
const IDLE_MS = 10_000;

/** Calls the driver in a helper process, which is started when needed, and again after it was killed. */
export function connectToHelper(options: HelperOptions): DriverConnection {
  const { clock } = options;
  let helper: Helper | undefined;
  let active = 0;
  let idle: Disposable | undefined;

  const end = async (): Promise<void> => {
    const ending = helper;
    helper = undefined;
    await ending?.end();
  };

  return {
    async call(call) {
      idle?.[Symbol.dispose]();
      const current = helper?.alive === true ? helper : startHelper(options);
      helper = current;
      active++;
      try {
        return await current.call(call);
      } finally {
        active--;
        if (active === 0 && current.alive) {
          idle = clock.schedule(() => void end(), IDLE_MS, { unref: true });
        }
      }
    },
    reconnect: end,
    async [Symbol.asyncDispose]() {
      idle?.[Symbol.dispose]();
      await end();
    },
  };
}

/** One helper process. When a call hangs, the process is killed, and the other pending calls fail with it. */
interface Helper {
  /** Always settles, and never rejects. */
  call(call: DriverCall): Promise<DriverResult>;
  /** False when it does not take calls any more. */
  readonly alive: boolean;
  /** Kills the process, and resolves when it has exited. */
  end(): Promise<void>;
}

/** Starting the process takes 50 ms; on a busy machine, a few seconds. */
const START_MS = 10_000;
const MAX_LINE_BYTES = 4 * 1024 * 1024;

interface Pending {
  settle(result: DriverResult): void;
  timer?: Disposable;
}

function startHelper(options: HelperOptions): Helper {
  const { driver, timeoutMs, clock } = options;
  const { command, args, env } = helperProgram(driver, options.execPath);
  const child = spawn(command, args, {
    // Nothing reads stderr, so its pipe would fill up; and messages of native libraries do not belong into the host's.
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...helperEnvironment(), ...env },
    windowsHide: true,
  });
  const pending = new Map<number, Pending>();
  /** Calls to send when the helper is ready; undefined from then on. */
  let unsent: (() => void)[] | undefined = [];
  let alive = true;
  let lastId = 0;

  const settle = (id: number, result: DriverResult): void => {
    const waiting = pending.get(id);
    pending.delete(id);
    waiting?.timer?.[Symbol.dispose]();
    waiting?.settle(result);
  };
  const giveUp = (failure: DriverFailure): void => {
    alive = false;
    starting[Symbol.dispose]();
    child.kill('SIGKILL');
    for (const id of pending.keys()) settle(id, { ok: false, failure });
  };
  const timeout = (what: string, ms: number): DriverFailure => ({
    kind: 'timeout',
    message: `${what} within ${ms} ms, so its helper process was killed.`,
  });
  const starting = clock.schedule(
    () => giveUp(timeout('The keychain driver did not start', START_MS)),
    START_MS,
  );

  const reader = createLineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine(line) {
      const message = line.kind === 'text' ? parseLine(line.text) : undefined;
      if (message === undefined) return;
      if (!('ready' in message)) return settle(message.id, message);
      starting[Symbol.dispose]();
      for (const send of unsent ?? []) send();
      unsent = undefined;
    },
  });
  child.stdout.on('data', (chunk: Uint8Array) => reader.push(chunk));
  // A write to a helper that has just died; `close` reports it as well.
  child.stdin.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      giveUp({
        kind: 'crash',
        message: `The helper process of the keychain ended (${signal ?? `exit code ${code}`}).`,
      });
      resolve();
    });
    child.once('error', (error) => {
      giveUp({
        kind: 'crash',
        message: `The helper process of the keychain could not be started: ${error.message}`,
      });
      resolve();
    });
  });
  const keepAlive = (does: boolean): void => {
    const change = does ? 'ref' : 'unref';
    child[change]();
    for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream[change]();
  };
  // Only the timer of a pending call keeps the host's process alive.
  keepAlive(false);

  return {
    call: (call) =>
      new Promise((resolve) => {
        const id = ++lastId;
        const entry: Pending = { settle: resolve };
        pending.set(id, entry);
        const send = (): void => {
          entry.timer = clock.schedule(
            () => giveUp(timeout('The keychain did not reply', timeoutMs)),
            timeoutMs,
          );
          child.stdin.write(`${JSON.stringify({ ...call, id } satisfies HelperRequest)}\n`);
        };
        if (unsent === undefined) send();
        else unsent.push(send);
      }),
    get alive() {
      return alive;
    },
    end() {
      // Its pipes too: on Windows they close after it.
      keepAlive(true);
      giveUp({ kind: 'crash', message: 'The helper process of the keychain was ended by close().' });
      return gone;
    },
  };
}

/** The built file, from the sources too. */
function helperProgram(driver: DriverSpec, execPath: string | undefined): OwnProgram {
  try {
    return ownProgram({
      package: '@mcp-fittings/store-keychain',
      script: 'dist/driver/helper-main.js',
      args: [JSON.stringify(driver)],
      importer: import.meta.url,
      what: 'the helper process of the keychain',
      hint: "Install @mcp-fittings/store-keychain beside the program, or pass `isolation: 'in-process'`.",
      execPath,
    });
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    const { message, hint } = error;
    const details = { state: 'unavailable' };
    throw storeError('STORE_UNAVAILABLE', message, { cause: error, hint, retryable: false, details });
  }
}

/** Undefined for a line that the helper did not write: native libraries may write to stdout. */
function parseLine(line: string): HelperResponse | { readonly ready: true } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || !('ready' in value || 'id' in value)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by helper-main.ts of the same version
    return value as HelperResponse | { readonly ready: true };
  } catch {
    return undefined;
  }
}

/**
 * The variables that the helper inherits: enough to find the user's session and keychain. Secrets of the host, and variables
 * that make Node or the driver load code, are not passed on.
 */
const INHERITED = [
  // Linux: the session bus, and the display for prompts
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  // All platforms
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  // macOS
  '__CF_USER_TEXT_ENCODING',
  // Windows
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'USERPROFILE',
  'USERNAME',
  'USERDOMAIN',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
  'TMP',
];

/** Returns the variables of the helper. */
function helperEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
