import type { HttpClient } from '@mcp-fittings/http-client';
import type { ToldSecrets } from './told-secrets.js';

/** The part of a network that sign-in uses: requests to addresses that servers named. */
export type Fetcher = Pick<HttpClient, 'fetch'>;

/**
 * The guarded fetch in the form that oauth4webapi calls. Whether a URL may be spoken to without encryption is decided
 * there, by its address, and not by the library's global switch. What is secret in a request is noted in `told`.
 */
export function libraryFetch(
  network: Fetcher,
  told?: ToldSecrets,
): (url: string, options: LibraryFetchOptions) => Promise<Response> {
  return (url, options) => {
    told?.add(options);
    return network.fetch(url, {
      method: options.method,
      headers: options.headers,
      body: options.body ?? null,
      signal: options.signal ?? null,
      redirect: 'error',
    });
  };
}

export interface LibraryFetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | undefined;
}
