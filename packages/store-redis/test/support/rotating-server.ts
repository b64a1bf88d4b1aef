import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

/**
 * A minimal MCP server with its authorization server, as strict as the real ones: a refresh token that is used twice ends
 * the whole sign-in.
 */
export interface RotatingServer extends AsyncDisposable {
  readonly url: string;
  /** Refresh tokens that were accepted, and those that were refused. */
  readonly refreshes: number;
  readonly refused: number;
  /** The only valid access token. */
  readonly accessToken: string;
  /** Runs after a refresh token was used, before the response. */
  beforeAnswer: (() => Promise<void>) | undefined;
}

export const LIFE_S = 86_400;

export async function startRotatingServer(): Promise<RotatingServer> {
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  let current = 0;
  let revoked = false;
  const state = {
    url: `${origin}/mcp`,
    refreshes: 0,
    refused: 0,
    accessToken: 'access-0',
    beforeAnswer: undefined as RotatingServer['beforeAnswer'],
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };

  const token = async (form: URLSearchParams): Promise<readonly [number, unknown]> => {
    if (form.get('grant_type') === 'refresh_token') {
      if (revoked || form.get('refresh_token') !== `refresh-${current}`) {
        revoked = true;
        state.refused++;
        return [400, { error: 'invalid_grant' }];
      }
      state.refreshes++;
    }
    current++;
    state.accessToken = `access-${current}`;
    const answer = { access_token: state.accessToken, refresh_token: `refresh-${current}` };
    await state.beforeAnswer?.();
    return [200, { ...answer, token_type: 'Bearer', expires_in: LIFE_S }];
  };

  const answer = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
    switch (request.url) {
      case '/.well-known/oauth-protected-resource/mcp':
        return [200, { resource: state.url, authorization_servers: [origin] }];
      case '/.well-known/oauth-authorization-server':
        return [
          200,
          {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            code_challenge_methods_supported: ['S256'],
            token_endpoint_auth_methods_supported: ['none'],
          },
        ];
      case '/token': {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        return token(new URLSearchParams(text));
      }
      default:
        return [404, {}];
    }
  };
  http.on('request', (request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  return state;
}
