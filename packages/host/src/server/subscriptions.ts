import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { checkCapability, type Call, type ServerCalls } from '../calls/server-calls.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { CallOptions } from '../contracts/host.js';
import type { LogLevel } from '../contracts/server-requests.js';

type Send = NonNullable<Call<void>['send']>;

/** Subscriptions and the log level of one server, which are restored after a reconnect. */
export class Subscriptions {
  readonly #server: string;
  readonly #calls: ServerCalls;
  readonly #uris = new Set<string>();
  /** URIs of subscriptions under way: the server may report a change together with its answer. */
  readonly #pending: string[] = [];
  #logLevel: LogLevel | undefined;

  constructor(server: string, calls: ServerCalls) {
    this.#server = server;
    this.#calls = calls;
  }

  /** URIs of the subscribed resources. */
  get uris(): readonly string[] {
    return [...this.#uris];
  }

  /** True if there are subscriptions, so that the connection is in use. */
  get any(): boolean {
    return this.#uris.size > 0;
  }

  isSubscribed(uri: string): boolean {
    return this.#uris.has(uri) || this.#pending.includes(uri);
  }

  async subscribe(uri: string, options: CallOptions): Promise<undefined> {
    this.#pending.push(uri);
    try {
      await this.#call('resources/subscribe', uri, { uri }, options, this.#subscribing(uri));
      this.#uris.add(uri);
    } finally {
      this.#pending.splice(this.#pending.indexOf(uri), 1);
    }
    return undefined;
  }

  unsubscribe(uri: string, options: CallOptions): Promise<undefined> {
    const method = 'resources/unsubscribe';
    return this.#call(method, uri, { uri }, options, async (session, params, request) => {
      this.#uris.delete(uri);
      checkCapability(this.#server, session, 'resources');
      if (session.unsubscribe === undefined) return session.request(method, params, request);
      await session.unsubscribe(uri);
      return {};
    });
  }

  async setLogLevel(level: LogLevel, options: CallOptions): Promise<undefined> {
    await this.#call('logging/setLevel', undefined, { level }, options, this.#settingLogLevel(level));
    this.#logLevel = level;
    return undefined;
  }

  /** Subscribes to everything again. Resolves with the errors of those that failed. */
  async restore(session: EngineSession, options: EngineRequestOptions): Promise<readonly unknown[]> {
    const again = this.uris.map((uri) => this.#subscribing(uri)(session, { uri }, options));
    const level = this.#logLevel;
    if (level !== undefined) again.push(this.#settingLogLevel(level)(session, { level }, options));
    const results = await Promise.allSettled(again);
    return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  }

  #call(
    method: string,
    target: string | undefined,
    params: JSONRPCObject,
    options: CallOptions,
    send: Send,
  ): Promise<undefined> {
    const call = { method, target, params, options, send };
    return this.#calls.send({ ...call, repeatable: true, read: () => undefined });
  }

  #subscribing(uri: string): Send {
    return async (session, params, options) => {
      checkCapability(this.#server, session, 'resources');
      if (session.subscribe === undefined) return session.request('resources/subscribe', params, options);
      await session.subscribe(uri);
      return {};
    };
  }

  #settingLogLevel(level: LogLevel): Send {
    return async (session, params, options) => {
      checkCapability(this.#server, session, 'logging');
      if (session.setLogLevel === undefined) return session.request('logging/setLevel', params, options);
      await session.setLogLevel(level);
      return {};
    };
  }
}
