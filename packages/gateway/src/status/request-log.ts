import type { Clock, FittingsError } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import type { Caller } from '../contracts/caller.js';
import type { RequestEvent } from '../contracts/request-event.js';
import type { ShownError, ShownServer } from './gateway-status.js';
import { LatencyHistogram } from './latency.js';
import { type EntryRedactor, shownMessage, shownName } from './shown-text.js';

/** Callers, and people, of whom anything is kept; the one that was silent for longest makes room. */
const MAX_CALLERS = 256;
/** Servers of one caller of which durations are kept. */
const MAX_SERVERS = 1000;
/** Errors that are kept of one caller, and of one person. */
const MAX_ERRORS = 50;

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
}

/** Remembers what has happened, told apart by caller: no caller sees requests of another one. */
export class RequestLog implements Disposable {
  readonly #options: RequestLogOptions;
  readonly #callers = new RecentMap<string, CallerRecord>(MAX_CALLERS);
  /** Errors of connections, by principal. */
  readonly #connections = new RecentMap<string | undefined, ShownError[]>(MAX_CALLERS);
  readonly #listeners: readonly Disposable[];

  constructor(options: RequestLogOptions) {
    this.#options = options;
    const { host } = options;
    this.#listeners = [
      host.on('error', ({ server, principal, error }) => this.#onHostError(server, principal, error)),
      host.on('state', ({ server, principal, state }) => {
        if (state.status === 'failed') this.#onHostError(server, principal, state.error);
      }),
    ];
  }

  /** Counts a request. */
  observe(event: RequestEvent): void {
    const { caller, server, error, durationMs } = event;
    const record = keep(this.#callers, caller.id, () => ({ servers: new Map(), errors: [] }));
    if (error !== undefined) push(record.errors, this.#describe(server, error, event));
    const isKnown = record.servers.has(server) || record.servers.size < MAX_SERVERS;
    if (isKnown) {
      const requests = record.servers.get(server) ?? { latency: new LatencyHistogram(), failed: 0 };
      requests.latency.record(durationMs);
      if (error !== undefined) requests.failed++;
      record.servers.set(server, requests);
    }
  }

  /** Returns the requests of a caller to a server. */
  requests({ id }: Caller, server: string): ShownServer['requests'] {
    const { latency = new LatencyHistogram(), failed = 0 } = this.#callers.get(id)?.servers.get(server) ?? {};
    return { ...latency.status(), failed };
  }

  /** Returns errors of requests of this caller, and of connections of the principal for whom it acts, the newest first. */
  errors({ id, principal }: Caller): readonly ShownError[] {
    return [...(this.#callers.get(id)?.errors ?? []), ...(this.#connections.get(principal) ?? [])]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, MAX_ERRORS);
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) listener[Symbol.dispose]();
  }

  #onHostError(server: string, principal: string | undefined, error: FittingsError): void {
    push(
      keep(this.#connections, principal, () => []),
      this.#describe(server, error),
    );
  }

  #describe(server: string, error: FittingsError, event?: RequestEvent): ShownError {
    return {
      at: this.#options.clock.now(),
      server: shownName(server),
      code: error.code,
      message: shownMessage(this.#redactFor(server, error.message)),
      ...(event !== undefined && {
        method: shownName(event.method),
        // A URI may have credentials, and no one needs it to find the request.
        ...(event.target !== undefined &&
          !event.method.startsWith('resources/') && {
            target: shownName(event.target),
          }),
      }),
    };
  }

  #redactFor(server: string, text: string): string {
    const { host, redact } = this.#options;
    try {
      return redact(host.server(server).entry, text);
    } catch {
      // The server was removed meanwhile, and its entry with it.
      return 'The server was removed.';
    }
  }
}

/** Returns what is kept under a key, as the newest of all. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

function push(errors: ShownError[], error: ShownError): void {
  errors.push(error);
  if (errors.length > MAX_ERRORS) errors.shift();
}
