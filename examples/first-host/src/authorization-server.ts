import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An authorization server (`oidc-provider`) on this machine, while the example runs. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** Resolves with whether this access token is valid. */
  accepts(token: string): Promise<boolean>;
}

export async function startAuthorizationServer(resource: string): Promise<AuthorizationServer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server that listens has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { Provider } = await quietly(() => import('oidc-provider'));
  const provider = await quietly(
    () =>
      new Provider(issuer, {
        scopes: ['openid', 'offline_access', 'tools'],
        cookies: { keys: [randomBytes(16).toString('hex')] },
        findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
        ttl: { AccessToken: 3600, Grant: 3600, Session: 600, Interaction: 600, RefreshToken: 86_400 },
        rotateRefreshToken: true,
        features: {
          devInteractions: { enabled: true },
          registration: { enabled: true },
          revocation: { enabled: true },
          resourceIndicators: {
            enabled: true,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({
              scope: 'tools',
              audience: resource,
              accessTokenFormat: 'opaque',
            }),
          },
        },
      }),
  );
  const callback = provider.callback();
  server.on('request', (request, response) => void callback(request, response));
  return {
    issuer,
    accepts: async (token) => (await provider.AccessToken.find(token))?.isExpired === false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Silences the library's warnings about development settings. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = console.info = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
