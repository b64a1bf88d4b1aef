import type { buildConnector, Client, Dispatcher } from 'undici';
import type * as Undici from 'undici';

/** One socket, or what stands for as many as are needed. */
export interface Sockets {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** The answer is complete: the next request may follow at once. Without it the socket is free a moment later. */
  release(): void;
}

/** The sockets to one origin. */
export interface SocketPool {
  /** A free one, the one that was used last first. Throws when the pool has ended. */
  take(): Sockets;
  destroy(): Promise<void>;
}

/**
 * One request a socket. How many there are is for the `ConcurrencyLimiter` to say, so that nothing has to be queued here:
 * undici's own pool keeps 20 KiB for its queue, whether it is used or not.
 */
export function createSocketPool(
  { Client: Socket, errors }: Pick<typeof Undici, 'Client' | 'errors'>,
  origin: string,
  connect: buildConnector.connector,
): SocketPool {
  const clients = new Set<Client>();
  const free: Sockets[] = [];
  let destroyed = false;

  const open = (): Sockets => {
    const client = new Socket(origin, { connect });
    clients.add(client);
    const release = (): void => {
      if (clients.has(client) && !free.includes(sockets)) free.push(sockets);
    };
    const releaseIdle = (): void => {
      if (client.stats.size === 0) release();
    };
    const sockets: Sockets = {
      dispatch(options, handler) {
        client.dispatch(options, handler);
        // A request that it refused leaves it as it was.
        releaseIdle();
      },
      release,
    };
    client.on('drain', releaseIdle);
    // It may be stuck in what it was about to do: https://github.com/nodejs/undici/issues/3895
    client.on('connectionError', () => {
      clients.delete(client);
      if (free.includes(sockets)) free.splice(free.indexOf(sockets), 1);
    });
    return sockets;
  };

  return {
    take() {
      if (destroyed) throw new errors.ClientDestroyedError();
      return free.pop() ?? open();
    },
    async destroy() {
      destroyed = true;
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

/** The same for what has a pool of its own. */
export function poolOf(dispatcher: Dispatcher): SocketPool {
  const sockets: Sockets = {
    dispatch: (options, handler) => void dispatcher.dispatch(options, handler),
    release: () => undefined,
  };
  return { take: () => sockets, destroy: () => dispatcher.destroy() };
}
