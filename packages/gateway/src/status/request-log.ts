import type { Clock, FittingsError } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import type { Caller } from '../contracts/caller.js';
import type { RequestEvent } from '../contracts/request-event.js';
import type { ShownError, ShownServer } from './gateway-status.js';
import { createLatencyHistogram, type LatencyHistogram } from './latency.js';
import type { EntryRedactor } from './redact-entry.js';
import { shownMessage, shownName } from './shown-text.js';

/** Callers, and people, of whom anything is kept; the one that was silent for longest makes room. */
const MAX_CALLERS = 256;
/** Servers of one caller of which durations are kept. */
const MAX_SERVERS = 1000;
/** Errors that are kept of one caller, and of one person. */
const MAX_ERRORS = 50;

/** What has happened, told apart by caller: no caller sees requests of another one. */
export interface RequestLog extends Disposable {
  readonly observe: (event: RequestEvent) => void;
  /** Returns the requests of a caller to a server. */
  requests(caller: Caller, server: string): ShownServer['requests'];
  /** Returns errors of requests of this caller, and of connections of the person for whom it acts, the newest first. */
  errors(caller: Caller): readonly ShownError[];
}

interface ServerRequests {
  readonly latency: LatencyHistogram;
  failed: number;
}

interface CallerRecord {
  readonly servers: Map<string, ServerRequests>;
  readonly errors: ShownError[];
}

export interface RequestLogOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly redact: EntryRedactor;
  /** Called after a change, with the caller if it concerns only one. */
  readonly onChange: (callerId?: string) => void;
}

export function createRequestLog({ host, clock, redact, onChange }: RequestLogOptions): RequestLog {
  const callers = new Map<string, CallerRecord>();
  const people = new Map<string | undefined, ShownError[]>();
  const none = createLatencyHistogram().status();

  const describe = (server: string, error: FittingsError, event?: RequestEvent): ShownError => ({
    at: clock.now(),
    server: shownName(server),
    code: error.code,
    message: shownMessage(redactFor(server, error.message)),
    ...(event !== undefined && {
      method: shownName(event.method),
      // A URI may have credentials, and no one needs it to find the request.
      ...(event.target !== undefined &&
        !event.method.startsWith('resources/') && {
          target: shownName(event.target),
        }),
    }),
  });

  const redactFor = (server: string, text: string): string => {
    try {
      return redact(host.server(server).entry, text);
    } catch {
      // The server was removed meanwhile, and its entry with it.
      return 'The server was removed.';
    }
  };

  const onHostError = (server: string, principal: string | undefined, error: FittingsError): void => {
    push(
      keep(people, principal, () => []),
      describe(server, error),
    );
    onChange();
  };
  const listeners = [
    host.on('error', ({ server, principal, error }) => onHostError(server, principal, error)),
    host.on('state', ({ server, principal, state }) => {
      if (state.status === 'failed') onHostError(server, principal, state.error);
    }),
  ];

  return {
    observe(event) {
      const { caller, server, error, durationMs } = event;
      const record = keep(callers, caller.id, () => ({ servers: new Map(), errors: [] }));
      if (error !== undefined) push(record.errors, describe(server, error, event));
      const isKnown = record.servers.has(server) || record.servers.size < MAX_SERVERS;
      if (isKnown) {
        const requests = record.servers.get(server) ?? { latency: createLatencyHistogram(), failed: 0 };
        requests.latency.record(durationMs);
        if (error !== undefined) requests.failed++;
        record.servers.set(server, requests);
      }
      onChange(caller.id);
    },
    requests({ id }, server) {
      const found = callers.get(id)?.servers.get(server);
      return { ...(found?.latency.status() ?? none), failed: found?.failed ?? 0 };
    },
    errors({ id, principal }) {
      return [...(callers.get(id)?.errors ?? []), ...(people.get(principal) ?? [])]
        .toSorted((a, b) => b.at - a.at)
        .slice(0, MAX_ERRORS);
    },
    [Symbol.dispose]() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

/** Returns what is kept under a key, as the newest of all. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.delete(key);
  for (const oldest of map.keys()) {
    if (map.size < MAX_CALLERS) break;
    map.delete(oldest);
  }
  map.set(key, value);
  return value;
}

function push(errors: ShownError[], error: ShownError): void {
  errors.push(error);
  if (errors.length > MAX_ERRORS) errors.shift();
}
