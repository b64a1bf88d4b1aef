import type { buildConnector, Client, Dispatcher } from 'undici';
import type { Undici } from './load-undici.js';

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
  /** Whether the pool may give it to a request. */
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
export function destroyedError(): Error {
  return Object.assign(new Error('The sockets are closed.'), { code: 'UND_ERR_DESTROYED' });
}

/** Wraps a dispatcher that has a pool of its own. */
export function poolOf(dispatcher: Dispatcher): SocketPool {
  const sockets: Sockets = {
    dispatch: (options, handler) => void dispatcher.dispatch(options, handler),
    release: () => undefined,
  };
  return { take: () => sockets, destroy: () => dispatcher.destroy() };
}
