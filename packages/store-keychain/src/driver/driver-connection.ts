import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/toolbox/timing';
import type { DriverConnection, DriverFailure, DriverResult } from './driver-protocol.js';
import { connectToHelper } from './helper-process.js';
import { connectInProcess } from './in-process-driver.js';
import { isKeytarLike, type DriverSpec, type KeychainDriver } from './keychain-driver.js';
import { loadDriver } from './load-driver.js';

/** Creates the connection to a driver: in a helper process, or in this one when the host or the driver requires it. */
export function createDriverConnection(options: {
  readonly driver: KeychainDriver;
  readonly isolation: 'process' | 'in-process';
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly execPath: string | undefined;
}): DriverConnection {
  const { driver, isolation, timeoutMs, clock, execPath } = options;
  if (isKeytarLike(driver)) {
    return withRetry(connectInProcess({ load: async () => driver, timeoutMs, clock }));
  }
  const spec: DriverSpec = typeof driver === 'string' ? driver : { module: String(driver.module) };
  const connection =
    isolation === 'process'
      ? connectToHelper({ driver: spec, timeoutMs, clock, execPath })
      : connectInProcess({ load: () => loadDriver(spec), timeoutMs, clock });
  const sharedTimeout = withSharedTimeout(withRetry(connection), timeoutMs, clock);
  return typeof spec === 'string' ? requiringSessionBus(sharedTimeout) : sharedTimeout;
}

/**
 * Matches what D-Bus reports when a service ends before it has replied, when a library still addresses the service that has ended (by its
 * number on the bus), and when the bus has closed the connection.
 */
const SERVICE_GONE =
  /disconnected from message bus|without replying|connection (?:is |was )?(?:closed|reset)|broken pipe|\bNoReply\b|The name :\d+\.\d+ was not provided/i;

/** The bus has as many connections of this user as it allows. */
const BUS_FULL = /maximum number of active connections/i;

export function isBusFull({ kind, message }: DriverFailure): boolean {
  return kind === 'driver' && BUS_FULL.test(message);
}

/** The service of the keychain crashed or was restarted in the middle of a call. */
export function isServiceGone({ kind, message }: DriverFailure): boolean {
  return kind === 'driver' && SERVICE_GONE.test(message);
}

/**
 * Repeats a call once, on a new connection, when the service went away during it, or when the bus is full, which may be due to
 * connections of this program. Every call can be repeated: a write puts the same text into the same item.
 */
function withRetry(connection: DriverConnection): DriverConnection {
  return {
    ...connection,
    async call(call) {
      const result = await connection.call(call);
      if (result.ok || !(isServiceGone(result.failure) || isBusFull(result.failure))) return result;
      await connection.reconnect?.();
      return connection.call(call);
    },
  };
}

/**
 * Reuses a timeout for as long as it took: when several callers want their credentials at the start of a program, only the
 * first one waits for a keychain that does not reply.
 */
function withSharedTimeout(connection: DriverConnection, timeoutMs: number, clock: Clock): DriverConnection {
  let timeout: { readonly result: DriverResult; readonly at: number } | undefined;
  return {
    ...connection,
    async call(call) {
      if (timeout !== undefined && isRecent(timeout.at, timeoutMs, clock.now())) return timeout.result;
      const result = await connection.call(call);
      const timedOut = !result.ok && result.failure.kind === 'timeout';
      timeout = timedOut ? { result, at: clock.now() } : undefined;
      return result;
    },
  };
}

/**
 * On Linux both supported packages use D-Bus. Without a session bus, as in most containers, the call fails without starting a
 * process.
 */
function requiringSessionBus(connection: DriverConnection): DriverConnection {
  if (process.platform !== 'linux') return connection;
  return {
    ...connection,
    call(call) {
      if (hasSessionBus()) return connection.call(call);
      return Promise.resolve({
        ok: false,
        failure: { kind: 'unavailable', message: 'No keychain is available: there is no D-Bus session bus.' },
      });
    },
  };
}

/** Returns true if there is a session bus where libdbus and GDBus look for it; with a display they can start one. */
function hasSessionBus(): boolean {
  const {
    DBUS_SESSION_BUS_ADDRESS: address = '',
    XDG_RUNTIME_DIR: runtime = '',
    DISPLAY: display = '',
  } = process.env;
  return address !== '' || (runtime !== '' && existsSync(join(runtime, 'bus'))) || display !== '';
}
