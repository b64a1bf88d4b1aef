import type { Clock } from '@mcp-fittings/client-core';
import type { HttpClient } from '../http-client.js';
import type { HttpClientOptions } from '../options.js';
import { createHttpClient } from './create-http-client.js';

/** Sign-in needs the network for moments, hours apart, and nobody tells a provider that it is not needed any more. */
const IDLE_MS = 10_000;

/** A network that exists while it is used: its sockets are freed when no request was made for ten seconds. */
export function createIdleHttpClient(options: HttpClientOptions, clock: Clock): Pick<HttpClient, 'fetch'> {
  let network: HttpClient | undefined;
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
      network ??= createHttpClient(options);
      inFlight++;
      try {
        return await network.fetch(url, init);
      } finally {
        if (--inFlight === 0) idle = clock.schedule(close, IDLE_MS, { unref: true });
      }
    },
  };
}
