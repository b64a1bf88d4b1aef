import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { hasTokenSyntax } from '../protocol/token-syntax.js';

export interface BearerOptions {
  /** The token, or where to get it; asked for every request. */
  readonly token: string | (() => string | Promise<string>);
  /** URL of the MCP server: the token is sent to its origin and to no other. */
  readonly url: string | URL;
  /** Name of the server, for messages. */
  readonly server?: string | undefined;
}

/**
 * Signs requests with a token that somebody else looks after: an API key, a personal access token. Rejects with
 * `AUTH_REJECTED` when the server refuses it, and with `CONFIG_INVALID` when it can not be sent.
 */
export function createBearerProvider({ token, url, server }: BearerOptions): AuthProvider {
  const { origin, host } = new URL(url);
  const name = server ?? host;
  let given: string | undefined;

  const read = async (): Promise<string> => {
    const text = typeof token === 'string' ? token : await token();
    if (hasTokenSyntax(text)) return `Bearer ${text}`;
    throw new FittingsError(
      'CONFIG_INVALID',
      `The token for "${name}" holds characters that can not be sent.`,
      {
        server: name,
        kind: 'auth',
      },
    );
  };

  return {
    async headers(request) {
      if (request.url.origin !== origin) return {};
      given = await read();
      return { authorization: given };
    },
    async onChallenge({ refused = given }) {
      // Its owner may have put another one in its place meanwhile.
      if (typeof token === 'function' && (await read()) !== refused) return 'retry';
      throw new FittingsError('AUTH_REJECTED', `"${name}" refuses the configured token.`, {
        server: name,
        delivery: 'rejected',
        hint: 'Replace it in the configuration; it may have expired.',
      });
    },
  };
}
