import { TransportError } from '@mcp-fittings/client-core/transport';
import type { ControlChannel, ControlChannelListener } from './control-channel.js';

/** Who takes what arrives under one name. */
export interface ChannelRoute {
  take(message: unknown): void;
  /** The other side ended this connection. */
  peerClosed(): void;
}

/** The connections that share one channel, by the name of their server. */
export interface ChannelRoutes {
  /** Throws `CONNECT_FAILED` while another connection of that name is open: each would get the other's answers. */
  add(server: string, route: ChannelRoute): void;
  remove(server: string): void;
}

/** Listens to the channel while there is a route. */
export function createChannelRoutes(channel: ControlChannel): ChannelRoutes {
  const routes = new Map<unknown, ChannelRoute>();
  let unsubscribe: (() => void) | undefined;

  const listener: ControlChannelListener = {
    message: (server, message) => routes.get(server)?.take(message),
    closed(server) {
      if (server !== undefined) routes.get(server)?.peerClosed();
      else for (const route of routes.values()) route.peerClosed();
    },
  };

  return {
    add(server, route) {
      if (routes.has(server)) {
        throw new TransportError(
          'CONNECT_FAILED',
          'A connection to this server is open on the channel already.',
          {
            server,
            hint: 'Close it first, or let the other entry name another server.',
          },
        );
      }
      unsubscribe ??= channel.subscribe(listener);
      routes.set(server, route);
    },
    remove(server) {
      routes.delete(server);
      if (routes.size > 0) return;
      unsubscribe?.();
      unsubscribe = undefined;
    },
  };
}
