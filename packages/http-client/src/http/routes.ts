import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import type { SecureContext } from 'node:tls';
import { chooseProxy, type ProxyOptions } from '@mcp-fittings/toolbox/connect';
import { checkSocketOwner } from '@mcp-fittings/toolbox/private-socket';
import type { LoadTlsOptions, TlsContexts } from '@mcp-fittings/toolbox/tls';
import type { buildConnector, Client, Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.js';
import type { HttpClientOptions } from '../options.js';
import { loadUndici, loadUndiciAgents, type Undici } from './load-undici.js';

/** Resolves with the IP addresses of a host name. */
type HostResolver = NonNullable<HttpClientOptions['resolve']>;

/** Says how requests reach one origin. */
export interface Route {
  readonly pool: SocketPool;
  readonly proxied: boolean;
}

export interface RouteOptions {
  readonly configured: URL;
  /** Path of the Unix socket or named pipe of the configured server, if it has one. */
  readonly socketPath: string | undefined;
  readonly guard: AddressGuard;
  readonly proxy: ProxyOptions;
  readonly resolve: HostResolver;
  readonly connectMs: number;
  readonly tls: LoadTlsOptions;
}

const MAX_KNOWN = 64;

/** Settings of a TLS connection that has certificates of its own. */
interface Secure {
  readonly secureContext: SecureContext;
}

/** Chooses the sockets for a request, and creates them when they are first used. */
export class Routes {
  readonly #options: RouteOptions;
  readonly #undici: Undici;
  readonly #tls: TlsContexts;
  readonly #opened = new Map<string, SocketPool>();
  readonly #routes = new Map<string, Route>();
  #closed = false;

  private constructor(options: RouteOptions, undici: Undici, tls: TlsContexts) {
    this.#options = options;
    this.#undici = undici;
    this.#tls = tls;
  }

  /** Loads undici and the certificates, for the first request. */
  static async open(options: RouteOptions): Promise<Routes> {
    const [undici, tls] = await Promise.all([loadUndici(), loadTlsIfAny(options.tls)]);
    return new Routes(options, undici, tls);
  }

  /**
   * Throws `ADDRESS_BLOCKED` or `CONFIG_INVALID`. Returns a promise while what a proxy or another origin needs is loaded, which
   * rejects if {@link close} was called meanwhile.
   */
  to(url: URL, origin: string): Route | Promise<Route> {
    const known = this.#routes.get(origin);
    if (known !== undefined) return known;
    const { configured, guard } = this.#options;
    const trusted = origin === configured.origin;
    if (!trusted) guard.checkUrl(url);
    const route = this.#make(url, trusted);
    return route instanceof Promise
      ? route.then((made) => this.#keep(origin, made))
      : this.#keep(origin, route);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#opened.values()].map((pool) => pool.destroy()));
  }

  #keep(origin: string, route: Route): Route {
    // Servers name the other origins, so there may be many.
    if (this.#routes.size >= MAX_KNOWN) this.#routes.clear();
    this.#routes.set(origin, route);
    return route;
  }

  #make(url: URL, trusted: boolean): Route | Promise<Route> {
    const { configured, socketPath, guard, connectMs, resolve } = this.#options;
    if (trusted && socketPath !== undefined) {
      const connector = this.#undici.buildConnector({ timeout: connectMs, socketPath });
      const create = (): SocketPool =>
        createSocketPool(this.#undici, configured.origin, afterOwnerCheck(socketPath, connector));
      return { proxied: false, pool: this.#open('configured', create) };
    }
    const secureContext = trusted ? this.#tls.configured : this.#tls.others;
    const secure = secureContext && { secureContext };
    const proxy = chooseProxy(url, this.#options.proxy);
    if (proxy !== undefined) return this.#makeProxied(proxy, trusted, secure);
    const lookup = lookupWith(
      trusted ? resolve : async (hostname) => guard.checkAddresses(hostname, await resolve(hostname)),
    );
    const connect = endingAtError(this.#undici.buildConnector({ timeout: connectMs, lookup, ...secure }));
    if (trusted) {
      const create = (): SocketPool => createSocketPool(this.#undici, configured.origin, connect);
      return { proxied: false, pool: this.#open('configured', create) };
    }
    return loadUndiciAgents().then(({ Agent }) => ({
      proxied: false,
      pool: this.#open('others', () => poolOf(new Agent({ connect }))),
    }));
  }

  async #makeProxied(proxy: URL, trusted: boolean, secure: Secure | undefined): Promise<Route> {
    const { connect, Pool, ProxyAgent } = await loadUndiciAgents();
    const { connectMs } = this.#options;
    const { others } = this.#tls;
    const openProxy = (): SocketPool => {
      const agent = new ProxyAgent({
        uri: proxy.href,
        // Many proxies allow CONNECT to port 443 only, so plain http is sent in absolute form.
        proxyTunnel: false,
        // A proxy that does not answer CONNECT is limited like any other connection.
        clientFactory: (origin, settings) =>
          Object.assign(new Pool(origin, { ...settings, headersTimeout: connectMs }), { connect }),
        requestTls: { timeout: connectMs, ...secure },
        proxyTls: { timeout: connectMs, ...(others && { secureContext: others }) },
      });
      return poolOf(agent);
    };
    return { proxied: true, pool: this.#open(`${proxy.href} ${String(trusted)}`, openProxy) };
  }

  #open(key: string, create: () => SocketPool): SocketPool {
    if (this.#closed) throw destroyedError();
    const pool = this.#opened.get(key) ?? create();
    this.#opened.set(key, pool);
    return pool;
  }
}

/** Most servers have no certificates, and the module that reads them loads slowly. */
async function loadTlsIfAny(options: LoadTlsOptions): Promise<TlsContexts> {
  if (options.ca === undefined && options.clientCertificate === undefined) {
    return { configured: undefined, others: undefined };
  }
  const { loadTls } = await import('@mcp-fittings/toolbox/tls');
  return loadTls(options);
}

/**
 * A peer that refuses our certificate sends a TLS alert and ends the stream. If the socket is not destroyed, undici reports the end
 * of the stream and loses the alert.
 */
function endingAtError(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.on('error', () => socket.destroy());
      callback(...result);
    });
}

/** Each connection checks again, because another process may listen at the path since. */
function afterOwnerCheck(socketPath: string, connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    checkSocketOwner(socketPath).then(
      () => connect(options, callback),
      (error: Error) => callback(error, null),
    );
  };
}

function lookupWith(resolve: HostResolver): LookupFunction {
  return (hostname, { all, family }, callback) => {
    const answer = async (): Promise<void> => {
      let found: { address: string; family: number }[];
      try {
        const addresses = await resolve(hostname);
        found = addresses
          .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
          .filter(
            (one) => family === undefined || family === 0 || String(family).endsWith(String(one.family)),
          );
        if (found.length === 0) throw notFound(hostname);
      } catch (cause) {
        return callback(cause instanceof Error ? cause : notFound(hostname), '', 0);
      }
      if (all === true) return callback(null, found);
      return callback(null, found[0]?.address ?? '', found[0]?.family);
    };
    void answer();
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND', hostname });
}

/** One socket, or a dispatcher with a pool of its own. */
export interface Sockets {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** The response is complete, so the next request may use the socket at once. Without this call it is free a moment later. */
  release(): void;
}

/** The sockets to one origin. */
export interface SocketPool {
  /** Returns a free socket, the most recently used one first. Throws if the pool was destroyed. */
  take(): Sockets;
  destroy(): Promise<void>;
}

interface PooledSocket extends Sockets {
  /** True if the pool may give it to a request. */
  free: boolean;
}

/**
 * Creates a pool with one request per socket. The `ConcurrencyLimiter` decides how many there are, so that nothing is queued here:
 * the pool of undici reserves 20 KiB for its queue, used or not.
 */
export function createSocketPool(
  { Client: Socket }: Pick<Undici, 'Client'>,
  origin: string,
  connect: buildConnector.connector,
): SocketPool {
  const clients = new Set<Client>();
  const free: PooledSocket[] = [];
  let destroyed = false;

  const open = (): PooledSocket => {
    const client = new Socket(origin, { connect });
    clients.add(client);
    const release = (): void => {
      if (sockets.free || !clients.has(client)) return;
      sockets.free = true;
      free.push(sockets);
    };
    const releaseIdle = (): void => {
      if (client.stats.size === 0) release();
    };
    const sockets: PooledSocket = {
      free: false,
      dispatch(options, handler) {
        client.dispatch(options, handler);
        // If the client refused the request, it is still free.
        releaseIdle();
      },
      release,
    };
    client.on('drain', releaseIdle);
    // The client may hang after this: https://github.com/nodejs/undici/issues/3895
    client.on('connectionError', () => {
      clients.delete(client);
      if (sockets.free) free.splice(free.indexOf(sockets), 1);
    });
    return sockets;
  };

  return {
    take() {
      if (destroyed) throw destroyedError();
      const sockets = free.pop() ?? open();
      sockets.free = false;
      return sockets;
    },
    async destroy() {
      destroyed = true;
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

/** Creates what a destroyed dispatcher of undici throws. Its module of errors takes 1 ms to load. */
function destroyedError(): Error {
  return Object.assign(new Error('The sockets are closed.'), { code: 'UND_ERR_DESTROYED' });
}

/** Wraps a dispatcher that has a pool of its own. */
function poolOf(dispatcher: Dispatcher): SocketPool {
  const sockets: Sockets = {
    dispatch: (options, handler) => void dispatcher.dispatch(options, handler),
    release: () => undefined,
  };
  return { take: () => sockets, destroy: () => dispatcher.destroy() };
}
