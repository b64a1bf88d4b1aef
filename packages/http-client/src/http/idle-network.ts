import type { Clock } from '@mcp-fittings/client-core/transport';
import type { Network } from '../network.js';
import type { NetworkOptions } from '../options.js';
import { createNetwork } from './create-network.js';

/** Sign-in needs the network for moments, hours apart, and nobody tells a provider that it is not needed any more. */
const IDLE_MS = 10_000;

/** A network that exists while it is used: its sockets are freed when no request was made for ten seconds. */
export function createIdleNetwork(options: NetworkOptions, clock: Clock): Pick<Network, 'fetch'> {
  let network: Network | undefined;
  let inFlight = 0;
  let idle: Disposable | undefined;

  const close = (): void => {
    const old = network;
    network = undefined;
    // Nothing is in flight on it.
    void old?.close().catch(() => undefined);
  };

  return {
    async fetch(url, init) {
      idle?.[Symbol.dispose]();
      network ??= createNetwork(options);
      inFlight++;
      try {
        return await network.fetch(url, init);
      } finally {
        if (--inFlight === 0) idle = clock.schedule(close, IDLE_MS, { unref: true });
      }
    },
  };
}
