import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { LogLevel } from '../contracts/server-requests.js';

/** Subscriptions and the log level of one server, which are restored after a reconnect. */
export interface Subscriptions {
  subscribe(session: EngineSession, uri: string, options: EngineRequestOptions): Promise<void>;
  unsubscribe(session: EngineSession, uri: string, options: EngineRequestOptions): Promise<void>;
  setLogLevel(session: EngineSession, level: LogLevel, options: EngineRequestOptions): Promise<void>;
  isSubscribed(uri: string): boolean;
  /** URIs of the subscribed resources. */
  readonly uris: readonly string[];
  /** Whether there are subscriptions, so that the connection is in use. */
  readonly any: boolean;
  /** Subscribes to everything again. Resolves with the errors of those that failed. */
  restore(session: EngineSession, options: EngineRequestOptions): Promise<readonly unknown[]>;
}

export function createSubscriptions(): Subscriptions {
  const uris = new Set<string>();
  let logLevel: LogLevel | undefined;
  return {
    async subscribe(session, uri, options) {
      await session.subscribe(uri, options);
      uris.add(uri);
    },
    async unsubscribe(session, uri, options) {
      uris.delete(uri);
      await session.unsubscribe(uri, options);
    },
    async setLogLevel(session, level, options) {
      await session.setLogLevel(level, options);
      logLevel = level;
    },
    isSubscribed: (uri) => uris.has(uri),
    get uris() {
      return [...uris];
    },
    get any() {
      return uris.size > 0;
    },
    async restore(session, options) {
      const again = [...uris].map((uri) => session.subscribe(uri, options));
      if (logLevel !== undefined) again.push(session.setLogLevel(logLevel, options));
      const results = await Promise.allSettled(again);
      return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    },
  };
}
