import { AuthRequiredError, FittingsError, type AuthProvider } from '@mcp-fittings/client-core';
import {
  ChallengeBudget,
  createCredentials,
  readChallenge,
  type ReplyHead,
} from '@mcp-fittings/remote-policy';

export interface AuthorizedFetchOptions {
  /** URL of the MCP server: only requests to it, and to what lies below its path, are signed. */
  readonly url: string | URL;
  /**
   * Other paths of the same origin that belong to the server, with all that lies below them: of HTTP+SSE, the one that messages
   * are posted to (`['/messages']`). Default: none.
   */
  readonly paths?: readonly string[] | undefined;
  /** Name of the server, for messages. */
  readonly server?: string | undefined;
  /** Sends the requests. Default: the global one. */
  readonly fetch?: FetchFunction | undefined;
}

export type FetchFunction = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that signs the requests to one server and recovers from refusals, a few times. It fits the `fetch` option of the
 * transports of both SDKs: `new StreamableHTTPClientTransport(url, { fetch: authorizedFetch(provider, { url }) })`.
 * Requests to other resources of the origin, as to other origins, go unsigned.
 * Redirects are handed back and not followed, so that nothing signed goes where it was not meant to go. Rejects with the
 * errors of the provider; a refusal that nothing helps against is handed back as the response that it is.
 */
export function authorizedFetch(provider: AuthProvider, options: AuthorizedFetchOptions): FetchFunction {
  const { server, fetch: send = globalThis.fetch } = options;
  const serverUrl = new URL(options.url);
  const bases = [serverUrl.pathname, ...(options.paths ?? [])].map(segmentsOf);
  const credentials = createCredentials({ url: serverUrl, provider, configured: false, server });

  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.origin !== serverUrl.origin || !liesWithin(url.pathname, bases)) return send(target, init);
    const method = (init.method ?? 'GET').toUpperCase();
    const budget = new ChallengeBudget();
    const handBack = new FittingsError('AUTH_REJECTED', 'The server refuses the credentials.', { server });
    for (;;) {
      const headers = new Headers(init.headers);
      const signed = await credentials.headers(method, url);
      for (const [name, value] of Object.entries(signed)) headers.set(name, value);
      const response = await send(target, { ...init, headers, redirect: 'manual' });
      const head = headOf(response, url);
      credentials.observe(head);
      const challenge = readChallenge(head);
      // A stream was read to its end by the first attempt.
      if (challenge === undefined || init.body instanceof ReadableStream) return response;
      try {
        await credentials.recover(
          { challenge, method, signed: Object.fromEntries(headers), refusal: () => handBack },
          budget,
        );
      } catch (error) {
        if (error === handBack || (error instanceof AuthRequiredError && error.cause === handBack))
          return response;
        throw error;
      }
      await response.body?.cancel();
    }
  };
}

/** Segments of a path, as a server may read them that decodes before it divides; undefined where that is ambiguous. */
function segmentsOf(path: string): readonly string[] | undefined {
  let text = path;
  for (let depth = 0; depth < MAX_ENCODINGS; depth++) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(text);
    } catch {
      return undefined;
    }
    if (decoded === text) {
      const segments = text.split(/[/\\]/).filter((segment) => segment !== '');
      // The URL parser has resolved those that are written plainly. Some servers cut a segment at its `;`.
      const climbs = segments.some((segment) => /^\.\.?(?:;.*)?$/.test(segment.trim()));
      // oxlint-disable-next-line no-control-regex -- a server may cut a path at such a character
      return climbs || /[\u0000-\u001f]/.test(text) ? undefined : segments;
    }
    text = decoded;
  }
  return undefined;
}

/** A path that is encoded more often is no address of an honest client. */
const MAX_ENCODINGS = 4;

function liesWithin(path: string, bases: readonly (readonly string[] | undefined)[]): boolean {
  const segments = segmentsOf(path);
  if (segments === undefined) return false;
  return bases.some((base) => base?.every((segment, index) => segments[index] === segment) === true);
}

function headOf({ status, headers }: Response, url: URL): ReplyHead {
  return { status, header: (name) => headers.get(name) ?? undefined, url };
}
