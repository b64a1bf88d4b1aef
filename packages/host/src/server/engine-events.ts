import type { JSONRPCObject, Logger } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { measure } from '../json-values.js';
import type { EngineEvents } from '../contracts/engine.js';
import type { LogEntry } from '../contracts/server-requests.js';
import { asFittingsError } from '../engine/request-errors.js';
import { RateLimit } from '../limiters.js';
import type { ServerDeps } from '../setup/server-deps.js';

export interface EngineEventsDeps {
  readonly isSubscribed: (uri: string) => boolean;
  /** Called with each notification, of any size. */
  readonly onNotification: (method: string, params: JSONRPCObject) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
}

/** Bounds of a notification that the host passes on. */
const NOTIFICATION_BOUNDS = { maxNodes: 10_000, maxDepth: 50, maxBytes: 1_048_576 };
/** Bounds of log data that is written as JSON. */
const LOG_BOUNDS = { maxNodes: 1000, maxDepth: 50, maxBytes: 65_536 };
/** Most characters of a server's log message that go to the host's logger. */
const LOG_TEXT = 2000;

/** Passes on to the host what a server sends on its own, of which `InboundLimit` has dropped the excess, and errors at a bounded rate. */
export function createEngineEvents(
  shared: Pick<ServerDeps, 'server' | 'clock' | 'logger' | 'emitter' | 'limits'>,
  deps: EngineEventsDeps,
): Omit<EngineEvents, 'closed'> {
  const { server, clock, logger, emitter, limits } = shared;
  const errors = new RateLimit(clock, limits.eventsPerSecond);
  return {
    log(entry) {
      emitter.emit('log', { ...entry, server });
      if (logger !== undefined) writeLog(logger, server, entry);
    },
    listChanged: deps.onListChanged,
    resourceUpdated(uri) {
      deps.onResourceUpdated(uri);
      if (deps.isSubscribed(uri)) emitter.emit('resourceUpdated', { server, uri });
    },
    notification(method, params) {
      deps.onNotification(method, params);
      const size = measure(params, NOTIFICATION_BOUNDS);
      if (size.problem === undefined) emitter.emit('notification', { server, method, params });
      else
        logger?.warn(`A notification of the server "${server}" was dropped because it ${size.problem}.`, {
          server,
        });
    },
    error(error) {
      if (errors.allow()) emitter.emit('error', { server, error: asFittingsError(server, error) });
    },
  };
}

function writeLog(logger: Logger, server: string, { level, logger: source, data }: LogEntry): void {
  const isLarge = measure(data, LOG_BOUNDS).problem !== undefined;
  const text =
    typeof data === 'string' ? data : isLarge ? '(too large to show)' : JSON.stringify(data ?? null);
  // Cut first, because it may be as long as a message can be.
  const name = source === undefined ? '' : `/${sanitizeText(source.slice(0, 800), { maxLength: 80 })}`;
  const line = `[${server}${name}] ${sanitizeText(text.slice(0, 10 * LOG_TEXT), { maxLength: LOG_TEXT })}`;
  logger[LOGGER_LEVELS[level]](line, { server, level });
}

const LOGGER_LEVELS: Readonly<Record<LogEntry['level'], keyof Logger>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};
