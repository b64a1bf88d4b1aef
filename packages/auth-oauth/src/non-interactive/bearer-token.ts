import { FittingsError, type AuthProvider } from '@mcp-fittings/client-core';
import { hasTokenSyntax } from '../protocol/values.js';

/**
 * Creates a provider that signs requests with a token that is managed elsewhere: an API key, a personal access token. Its
 * methods reject with `AUTH_REJECTED` if the server refuses the token and `token` returns no other one, and with
 * `CONFIG_INVALID` if the token contains characters that a header cannot hold.
 * @example
 * ```ts
 * const url = 'https://mcp.example.com/mcp';
 * const provider = createBearerProvider({ url, token: () => process.env['EXAMPLE_TOKEN'] ?? '' });
 * const fetch = authorizedFetch(provider, { url });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6750.html
 */
export function createBearerProvider(options: {
  /** The token, or a function that returns it, which is called for every request. */
  readonly token: string | (() => string | Promise<string>);
  /** URL of the MCP server. The token is sent to its origin only. */
  readonly url: string | URL;
  /** Name of the server, for messages. Default: the host of `url`. */
  readonly server?: string | undefined;
}): AuthProvider {
  const { token, url, server } = options;
  const { origin, host } = new URL(url);
  const name = server ?? host;
  let lastAuthorization: string | undefined;

  const read = async (): Promise<string> => {
    const text = typeof token === 'string' ? token : await token();
    const authorization = `Bearer ${text}`;
    // Each token is checked once: the last one that was sent is valid.
    if (authorization === lastAuthorization || hasTokenSyntax(text)) return authorization;
    throw new FittingsError(
      'CONFIG_INVALID',
      `The token for "${name}" contains characters that cannot be sent.`,
      {
        server: name,
        kind: 'auth',
      },
    );
  };

  return {
    async headers(request) {
      if (request.url.origin !== origin) return {};
      lastAuthorization = await read();
      return { authorization: lastAuthorization };
    },
    async onChallenge({ refused = lastAuthorization }) {
      // The token may have been replaced meanwhile.
      if (typeof token === 'function' && (await read()) !== refused) return 'retry';
      throw new FittingsError('AUTH_REJECTED', `"${name}" refuses the configured token.`, {
        server: name,
        delivery: 'rejected',
        hint: 'Replace the token in the configuration; it may have expired.',
      });
    },
  };
}
