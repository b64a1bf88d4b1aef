import { type AuthProvider, AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { ChallengeBudget, Credentials, readChallenge, type ReplyHead } from '@mcp-fittings/toolbox/refusal';

/**
 * Creates a `fetch` that signs the requests to one server and recovers from 401 and 403 responses, a few times each. It
 * fits the `fetch` option of the transports of both official SDKs. Requests to other URLs are sent unsigned.
 *
 * Redirects are returned and not followed, so that credentials reach no other URL. Rejects with the errors of the provider;
 * a refusal that cannot be recovered from is returned as a response.
 * @example
 * ```ts
 * const url = new URL('https://mcp.example.com/mcp');
 * const transport = new StreamableHTTPClientTransport(url, { fetch: authorizedFetch(provider, { url }) });
 * ```
 */
export function authorizedFetch(
  provider: AuthProvider,
  options: {
    /** URL of the MCP server. Only requests to it and to URLs below its path are signed. */
    readonly url: string | URL;
    /**
     * Further paths on the same origin that belong to the server, with everything below them. HTTP+SSE needs the path that
     * messages are posted to: `['/messages']`. Default: none.
     */
    readonly paths?: readonly string[] | undefined;
    /** Name of the server, for messages. Default: none. */
    readonly server?: string | undefined;
    /** Sends the requests. Default: the global `fetch`. */
    readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
  },
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const { server, fetch: send = globalThis.fetch } = options;
  const serverUrl = new URL(options.url);
  const bases = [serverUrl.pathname, ...(options.paths ?? [])].map(segmentsOf);
  const credentials = new Credentials({ url: serverUrl, provider, configured: false, server });

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
      const unsigned = !headers.has('authorization') && Object.keys(signed).length === 0;
      const challenge = readChallenge(head, { unsigned });
      // The first attempt has consumed a stream, so it cannot be sent again.
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

/** Returns the segments of a path as a server reads them that decodes before it splits; undefined if that is ambiguous. */
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
      // The URL parser has resolved plain dot segments. Some servers cut a segment at its `;`.
      const climbs = segments.some((segment) => /^\.\.?(?:;.*)?$/.test(segment.trim()));
      // oxlint-disable-next-line no-control-regex -- a server may cut a path at such a character
      return climbs || /[\u0000-\u001f]/.test(text) ? undefined : segments;
    }
    text = decoded;
  }
  return undefined;
}

/** A path that is encoded more often is not signed. */
const MAX_ENCODINGS = 4;

function liesWithin(path: string, bases: readonly (readonly string[] | undefined)[]): boolean {
  const segments = segmentsOf(path);
  if (segments === undefined) return false;
  return bases.some((base) => base?.every((segment, index) => segments[index] === segment) === true);
}

function headOf({ status, headers }: Response, url: URL): ReplyHead {
  return { status, header: (name) => headers.get(name) ?? undefined, url };
}
