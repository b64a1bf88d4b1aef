import type { HttpClient } from '@mcp-fittings/http-client';
import type { SentSecrets } from './sent-secrets.js';

/** The part of an `HttpClient` that sign-in uses: requests to URLs that servers named, within the policy of the network. */
export type Fetcher = Pick<HttpClient, 'fetch'>;

/**
 * Returns the fetch of a network in the form that oauth4webapi calls. The network decides by address whether http is
 * allowed, so the library's own check is off. Secrets in requests are added to `sentSecrets`.
 */
export function guardedFetch(
  network: Fetcher,
  sentSecrets?: SentSecrets,
): (url: string, options: GuardedRequest) => Promise<Response> {
  return (url, options) => {
    sentSecrets?.add(options);
    return network.fetch(url, {
      method: options.method,
      headers: options.headers,
      body: options.body ?? null,
      signal: options.signal ?? null,
      redirect: 'error',
    });
  };
}

/** A request as oauth4webapi makes it. */
export interface GuardedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | undefined;
}
