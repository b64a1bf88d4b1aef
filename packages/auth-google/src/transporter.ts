import { FittingsError } from '@mcp-fittings/client-core';
import type { HttpClient } from '@mcp-fittings/http-client';

/**
 * The guarded fetch as Google's library calls it, so that requests for tokens obey the same proxy, certificates, limits
 * and address rules as everything else.
 */
export function libraryFetch(network: Pick<HttpClient, 'fetch'>): typeof fetch {
  return async (input, init = {}) => {
    const url = typeof input === 'string' || input instanceof URL ? input : input.url;
    return network.fetch(url, {
      method: init.method,
      headers: new Headers(init.headers),
      body: plainBody(init.body),
      signal: init.signal,
    });
  };
}

function plainBody(body: unknown): string | Uint8Array | URLSearchParams | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams) return body;
  throw new FittingsError('AUTH_FAILED', 'Google’s library sent a request that can not be passed on.');
}
