import type { PacedSource, Pausable } from '@mcp-fittings/client-core/transport';
import type { Exchange, Network } from '../network.js';

/**
 * The exchanges of a network, whose event streams are read through `paced`: a reply is not read while its server has used up its
 * share of the time.
 */
export function pacedNetwork(
  network: Pick<Network, 'exchange'>,
  paced: (source: Pausable) => PacedSource,
): Pick<Network, 'exchange'> {
  return {
    exchange(request, handler) {
      if (request.eventStream !== true) return network.exchange(request, handler);
      const source = paced({ pause: () => exchange.pause(), resume: () => exchange.resume() });
      const exchange: Exchange = network.exchange(request, {
        onHeaders: (head) => handler.onHeaders(head),
        onData: (bytes) => source.read(bytes.length, () => handler.onData(bytes)),
        onEnd: () => handler.onEnd(),
        onError: (error) => handler.onError(error),
      });
      return exchange;
    },
  };
}
