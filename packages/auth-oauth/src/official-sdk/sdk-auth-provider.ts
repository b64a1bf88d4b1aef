import { type AuthProvider, type Clock, FittingsError } from '@mcp-fittings/client-core';
import { isRecent, systemClock } from '@mcp-fittings/toolbox/timing';

/** A credential that was handed out, and for how many requests. */
interface Given {
  readonly authorization: string | undefined;
  readonly since: number;
  times: number;
}

/** Milliseconds after a renewal in which refusals of the previous credential may arrive. */
const STRAGGLERS_MS = 30_000;

/**
 * Adapts a provider to the `authProvider` option of the transports of SDK v2. That interface supports bearer tokens and 401
 * only: for DPoP, other headers, missing scopes (403) and SDK v1, use {@link authorizedFetch}. Its methods reject with the
 * errors of the provider, and with `CAPABILITY_MISSING` if the provider signs with anything but a bearer token.
 * @example
 * ```ts
 * const url = new URL('https://mcp.example.com/mcp');
 * const transport = new StreamableHTTPClientTransport(url, { authProvider: toSdkAuthProvider(provider, { url }) });
 * ```
 */
export function toSdkAuthProvider(
  provider: AuthProvider,
  options: {
    /** URL of the MCP server, which the token is requested for. */
    readonly url: string | URL;
    /** Time source of the window in which late refusals arrive. Default: the system clock. */
    readonly clock?: Clock | undefined;
  },
): {
  // The interface of `@modelcontextprotocol/client` 2, written here to avoid the dependency.
  /** Resolves with the bearer token for the next request; undefined to send it without one. */
  token(): Promise<string | undefined>;
  /** Called by the SDK for a 401. Resolves when the request is worth retrying, else rejects. */
  onUnauthorized(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
} {
  const { clock = systemClock } = options;
  const url = new URL(options.url);
  let last: Given | undefined;
  let before: Given | undefined;

  const gave = (authorization: string | undefined): void => {
    if (last?.authorization !== authorization || last === undefined) {
      before = last;
      last = { authorization, since: clock.now(), times: 0 };
    }
    last.times++;
  };

  /** The SDK does not say which token was refused. The first refusal of a burst renews it; the others are late. */
  const refused = (): string | undefined => {
    const isLate = last !== undefined && isRecent(last.since, STRAGGLERS_MS, clock.now());
    if (!isLate || before === undefined || before.times === 0) return last?.authorization;
    before.times--;
    return before.authorization;
  };

  return {
    async token() {
      const { authorization, ...others } = await provider.headers({ url, method: 'POST' });
      if (
        Object.keys(others).length > 0 ||
        (authorization !== undefined && !/^bearer /i.test(authorization))
      ) {
        throw new FittingsError(
          'CAPABILITY_MISSING',
          'The "authProvider" option of the SDK supports bearer tokens only.',
          {
            hint: 'Pass authorizedFetch() as the "fetch" option of the transport instead.',
          },
        );
      }
      gave(authorization);
      return authorization?.slice('Bearer '.length);
    },
    async onUnauthorized({ response, serverUrl }) {
      await provider.onChallenge({
        url: serverUrl,
        status: 401,
        wwwAuthenticate: response.headers.get('www-authenticate') ?? undefined,
        dpopNonce: response.headers.get('dpop-nonce') ?? undefined,
        refused: refused(),
      });
    },
  };
}
