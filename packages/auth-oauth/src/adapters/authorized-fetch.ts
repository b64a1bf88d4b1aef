import { AuthRequiredError, FittingsError, type AuthProvider } from '@mcp-fittings/client-core';
import {
  challengeKind,
  createCredentials,
  type ChallengeCount,
  type ResponseHead,
} from '@mcp-fittings/network';

export interface AuthorizedFetchOptions {
  /** URL of the MCP server: only requests to its origin are signed. */
  readonly url: string | URL;
  /** Name of the server, for messages. */
  readonly server?: string | undefined;
  /** Sends the requests. Default: the global one. */
  readonly fetch?: FetchFunction | undefined;
}

export type FetchFunction = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that signs the requests to one server and recovers from refusals, a few times. It fits the `fetch` option of the
 * transports of both SDKs: `new StreamableHTTPClientTransport(url, { fetch: authorizedFetch(provider, { url }) })`.
 * Redirects are handed back and not followed, so that nothing signed goes where it was not meant to go. Rejects with the
 * errors of the provider; a refusal that nothing helps against is handed back as the response that it is.
 */
export function authorizedFetch(provider: AuthProvider, options: AuthorizedFetchOptions): FetchFunction {
  const { server, fetch: send = globalThis.fetch } = options;
  const serverUrl = new URL(options.url);
  const credentials = createCredentials({ url: serverUrl, provider, configured: false, server });

  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.origin !== serverUrl.origin) return send(target, init);
    const method = (init.method ?? 'GET').toUpperCase();
    const count: ChallengeCount = { credentials: 0, scope: 0, nonce: 0 };
    const handBack = new FittingsError('AUTH_REJECTED', 'The server refuses the credentials.', { server });
    for (;;) {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(await credentials.headers(method, url)))
        headers.set(name, value);
      const response = await send(target, { ...init, headers, redirect: 'manual' });
      const head = headOf(response, url);
      credentials.observe(head);
      const kind = challengeKind(head);
      // A stream was read to its end by the first attempt.
      if (kind === undefined || init.body instanceof ReadableStream) return response;
      const authorization = headers.get('authorization') ?? undefined;
      try {
        await credentials.recover({ kind, head, method, authorization, refusal: () => handBack }, count);
      } catch (error) {
        if (error === handBack || (error instanceof AuthRequiredError && error.cause === handBack))
          return response;
        throw error;
      }
      await response.body?.cancel();
    }
  };
}

function headOf(response: Response, url: URL): ResponseHead {
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    headers: () => response.headers,
    contentType: '',
    url,
  };
}
