import { createServer } from 'node:net';
import type { Clock, Logger } from '@mcp-fittings/client-core';
import { sleep, systemClock } from '@mcp-fittings/toolbox/timing';
import { sharedFolder } from '../wire/socket-address.js';
import { listenInFolder } from './listen.js';
import { createLogFile } from './log-file.js';
import { serveProgram, type ProgramConnection } from './program-connection.js';
import { ServerPool } from './server-pool.js';

/** Options of {@link serveShared}. */
export interface ServeSharedOptions {
  /**
   * Folder of the socket. It is created with mode 0700, and refused if another user can access it. Default: `mcp-fittings` in
   * `XDG_RUNTIME_DIR`, or a private folder below the home directory.
   */
  readonly folder?: string | undefined;
  /** Milliseconds after which a server that no program uses is ended. Default 600 000: 10 minutes. */
  readonly serverIdleMs?: number | undefined;
  /**
   * Milliseconds after which this stops serving when no program is connected. It waits at least 10 s for the first one. Default
   * 900 000: 15 minutes.
   */
  readonly idleMs?: number | undefined;
  /** Keeps a log of at most 512 KiB, `shared.log` in the folder. Default false. */
  readonly log?: boolean | undefined;
  /** Receives what starts and ends, without secrets. Default none. */
  readonly logger?: Logger | undefined;
  /** Source of time and timers. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Runs the servers of all programs that connect, see {@link serveShared}. */
export interface SharedServing extends AsyncDisposable {
  /** Path of the socket; on Windows, of the pipe. */
  readonly path: string;
  /** Number of programs that are connected. */
  readonly programs: number;
  /** Number of server processes that run. */
  readonly servers: number;
  /** Resolves when it has stopped: idle, or by {@link close}. */
  readonly ended: Promise<void>;
  /**
   * Stops listening, refuses new requests with the delivery `not-sent`, and calls {@link close} when no request is in flight, or
   * after so many milliseconds.
   */
  drain(timeoutMs: number): Promise<void>;
  /** Stops listening, disconnects the programs and ends their servers. */
  close(): Promise<void>;
}

const SERVER_IDLE_MS = 10 * 60 * 1000;
const IDLE_MS = 15 * 60 * 1000;
/** The program that has started this process tries to connect for that long, by default. */
const FIRST_PROGRAM_MS = 10_000;
const DRAIN_POLL_MS = 20;

/**
 * Serves the stdio servers of all programs of this user that use `sharedStdio()`, until it was idle for a while. Resolves with
 * undefined if another process does so already. Rejects with `STORE_INSECURE` if another user can access the folder.
 *
 * @example
 * ```ts
 * const serving = await serveShared();
 * await serving?.ended;
 * ```
 */
export async function serveShared(options: ServeSharedOptions = {}): Promise<SharedServing | undefined> {
  const { folder = sharedFolder(), serverIdleMs = SERVER_IDLE_MS, idleMs = IDLE_MS } = options;
  const { clock = systemClock } = options;
  const logger = joinLoggers([options.logger, options.log === true ? createLogFile(folder) : undefined]);
  const pool = new ServerPool({ clock, idleMs: serverIdleMs, logger });
  const programs = new Set<ProgramConnection>();
  let idle: Disposable | undefined;
  let ending: Promise<void> | undefined;
  let hasEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });

  const server = createServer((socket) => {
    idle?.[Symbol.dispose]();
    const program = serveProgram(socket, pool, () => {
      programs.delete(program);
      if (programs.size === 0) waitForPrograms();
    });
    programs.add(program);
  });
  const listening = await listenInFolder(server, folder, clock);
  if (listening === undefined) return undefined;
  logger.info('The shared process has started.', { pid: process.pid });

  const end = async (): Promise<void> => {
    idle?.[Symbol.dispose]();
    for (const program of programs) program.close();
    await pool.close();
    logger.info('The shared process has ended.');
    hasEnded();
  };
  const waitForPrograms = (ms = idleMs): void => {
    idle?.[Symbol.dispose]();
    if (ending !== undefined) return;
    idle = clock.schedule(() => void endIfIdle(), ms);
  };
  const endIfIdle = async (): Promise<void> => {
    if (await listening.stop(() => programs.size > 0)) ending ??= end();
  };
  const close = (): Promise<void> => {
    ending ??= listening.stop().then(end);
    return ending;
  };
  const drain = async (timeoutMs: number): Promise<void> => {
    const deadline = clock.now() + timeoutMs;
    for (const program of programs) program.refuseRequests();
    await listening.stop();
    while (pool.inFlight > 0 && clock.now() < deadline) await sleep(DRAIN_POLL_MS, { clock });
    await close();
  };
  waitForPrograms(Math.max(idleMs, FIRST_PROGRAM_MS));
  return {
    path: listening.path,
    get programs() {
      return programs.size;
    },
    get servers() {
      return pool.size;
    },
    ended,
    drain,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function joinLoggers(loggers: readonly (Logger | undefined)[]): Logger {
  const log =
    (level: keyof Logger): Logger[typeof level] =>
    (message, fields) => {
      for (const logger of loggers) logger?.[level](message, fields);
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
