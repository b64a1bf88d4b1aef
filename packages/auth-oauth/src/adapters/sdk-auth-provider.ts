import {
  FittingsError,
  isRecent,
  systemClock,
  type AuthProvider,
  type Clock,
} from '@mcp-fittings/client-core/auth';

/** The form of `AuthProvider` of `@modelcontextprotocol/client` 2, without a dependency on it. */
export interface SdkAuthProvider {
  token(): Promise<string | undefined>;
  onUnauthorized(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

export interface SdkAuthProviderOptions {
  /** URL of the MCP server. */
  readonly url: string | URL;
  readonly clock?: Clock | undefined;
}

/** A credential that was given out, and to how many requests. */
interface Given {
  readonly authorization: string | undefined;
  readonly since: number;
  times: number;
}

/** So long after a renewal, refusals of the credential before it may still arrive, milliseconds. */
const STRAGGLERS_MS = 30_000;

/**
 * A provider of ours in the transports of SDK v2: `new StreamableHTTPClientTransport(url, { authProvider })`. That seam
 * knows bearer tokens and 401 only; for DPoP, other headers, scopes that are missing (403), and for SDK v1, take
 * `authorizedFetch`. Rejects with the provider's errors, and with `CAPABILITY_MISSING` for what is no bearer token.
 */
export function toSdkAuthProvider(provider: AuthProvider, options: SdkAuthProviderOptions): SdkAuthProvider {
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

  /** That seam does not say which token was refused. Of a burst, the first refusal renews it, and the others are late. */
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
        throw new FittingsError('CAPABILITY_MISSING', 'The SDK sends bearer tokens only.', {
          hint: 'Use authorizedFetch() as the `fetch` option of the transport.',
        });
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
