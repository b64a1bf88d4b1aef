import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { HostEvents } from '@mcp-fittings/host';
import type { ExposedKind } from '../catalog/exposure.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientConnection, ClientRequest, ClientSession, Notify } from '../contracts/surface.js';
import type { ScopeListener, Watching } from './change-watch.js';
import { textIn } from './request-params.js';
import { unknownItem } from './rpc-errors.js';
import type { Subscription } from './subscriptions.js';
import type { SurfaceDeps } from './surface-deps.js';

/** The session of a client before 2026-07-28: what it has declared, and what it listens to. */
export class Session implements ClientSession, ScopeListener {
  readonly notify: Notify;
  capabilities: JSONRPCObject | undefined;
  readonly #connection: ClientConnection;
  readonly #deps: SurfaceDeps;
  /** Subscribed resources, by the URI that the client uses. */
  readonly #subscribed = new Map<string, Subscription>();
  #level: LogLevel | undefined;
  #watching: Watching | undefined;

  constructor(connection: ClientConnection, notify: Notify, deps: SurfaceDeps) {
    this.notify = notify;
    this.#connection = connection;
    this.#deps = deps;
    this.#watching = deps.changes.watch(connection, this);
  }

  /** Call it when the client is told what the servers offer: from now on, it is told of changes. */
  introduced(capabilities: JSONRPCObject): void {
    this.capabilities = capabilities;
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.#watching?.seen(kind);
  }

  /** Call it when the client has read a list. */
  listed(kind: ExposedKind): void {
    this.#watching?.seen(kind);
  }

  changed(kind: ExposedKind): void {
    // Before the handshake, the client is told nothing.
    if (this.capabilities !== undefined) this.notify(`notifications/${kind}/list_changed`, {});
  }

  updated({ server, uri }: HostEvents['resourceUpdated']): void {
    for (const [used, { ref }] of this.#subscribed) {
      if (ref.server === server && ref.uri === uri)
        this.notify('notifications/resources/updated', { uri: used });
    }
  }

  logged({ server, level, logger, data }: HostEvents['log']): void {
    if (this.#level === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#level)) return;
    if (!this.#deps.exposure.hasServer(this.#connection, server)) return;
    const own = this.#connection.mount.server === undefined ? [server, logger] : [logger];
    const source = own.filter((each) => each !== undefined).join('/');
    this.notify('notifications/message', { level, data, ...(source !== '' && { logger: source }) });
  }

  /** Answers `resources/subscribe`. */
  async subscribe(request: ClientRequest): Promise<JSONRPCObject> {
    const { catalog, servers, exposure, limits, door, subscriptions } = this.#deps;
    const { caller } = request;
    const uri = textIn(request.params, 'uri');
    let ref = catalog.resourceRef(request, uri);
    if (ref === undefined) {
      await servers.ready(exposure.servers(request), caller.principal, limits.listMs);
      ref = catalog.resourceRef(request, uri);
    }
    // While it waited, the client may have left, or have asked again.
    if (this.#watching === undefined || this.#subscribed.has(uri)) return {};
    if (this.#subscribed.size >= limits.subscriptions) {
      const text = `A client can subscribe to ${limits.subscriptions} resources.`;
      throw new FittingsError('RATE_LIMITED', text, { delivery: 'not-sent' });
    }
    if (ref === undefined) throw unknownItem('resource', uri);
    const subscription = subscriptions.of(ref, caller.principal);
    this.#subscribed.set(uri, subscription);
    try {
      const passed = { server: ref.server, method: request.method, target: ref.uri };
      const begin = (): Promise<void> => subscription.begin();
      await (request.isReplayed ? begin() : door(caller, passed, begin));
    } catch (error) {
      if (this.#subscribed.get(uri) === subscription) this.#subscribed.delete(uri);
      throw error;
    }
    return {};
  }

  /** Answers `resources/unsubscribe`. */
  async unsubscribe({ caller, method, params }: ClientRequest): Promise<JSONRPCObject> {
    const uri = textIn(params, 'uri');
    const subscription = this.#subscribed.get(uri);
    if (subscription === undefined) return {};
    // At once, so that a subscription that follows counts anew.
    this.#subscribed.delete(uri);
    const { server, uri: target } = subscription.ref;
    try {
      await this.#deps.door(caller, { server, method, target }, () => subscription.end());
    } catch (error) {
      if (this.#watching === undefined || this.#subscribed.has(uri)) await subscription.end();
      else this.#subscribed.set(uri, subscription);
      throw error;
    }
    return {};
  }

  /** Answers `logging/setLevel`. */
  async setLevel(request: ClientRequest): Promise<JSONRPCObject> {
    const { exposure, logLevels } = this.#deps;
    const wanted = textIn(request.params, 'level');
    if (!isLogLevel(wanted)) throw new RpcError(RPC_CODES.invalidParams, 'The log level is unknown.');
    const before = this.#level;
    this.#level = wanted;
    try {
      await logLevels.set(this, exposure.servers(request), request, wanted);
      return {};
    } catch (error) {
      this.#level = before;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    const { logLevels } = this.#deps;
    this.#watching?.[Symbol.dispose]();
    this.#watching = undefined;
    logLevels.delete(this);
    for (const subscription of this.#subscribed.values()) void subscription.end();
    this.#subscribed.clear();
  }
}
