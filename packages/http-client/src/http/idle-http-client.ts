import type { Clock } from '@mcp-fittings/client-core';
import type { HttpClient } from '../http-client.js';
import type { HttpClientOptions } from '../options.js';
import { createHttpClient } from './create-http-client.js';

/** An auth provider sends a few requests, hours apart, and is never told that it is no longer needed. */
const IDLE_MS = 10_000;

/**
 * Creates a client for occasional requests, such as those of sign-in. It needs no `close()`: it frees its sockets when it has been
 * idle for ten seconds, and opens new ones for the next request.
 */
export function createIdleHttpClient(options: HttpClientOptions, clock: Clock): Pick<HttpClient, 'fetch'> {
  let client: HttpClient | undefined;
  let inFlight = 0;
  let idle: Disposable | undefined;

  const close = (): void => {
    const old = client;
    client = undefined;
    // Nothing is in flight on it.
    void old?.close().catch(() => undefined);
  };

  return {
    async fetch(url, init) {
      idle?.[Symbol.dispose]();
      client ??= createHttpClient(options);
      inFlight++;
      try {
        return await client.fetch(url, init);
      } finally {
        if (--inFlight === 0) idle = clock.schedule(close, IDLE_MS, { unref: true });
      }
    },
  };
}
