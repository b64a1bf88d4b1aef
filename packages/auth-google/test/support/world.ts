import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createGoogleProvider, type GoogleProviderOptions } from '@mcp-fittings/auth-google';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { createHttpClient } from '@mcp-fittings/http-client';
import { CANARIES, startGoogle, type GoogleStandIn } from './google-stand-in.js';

/** Google, a server that accepts its tokens, and an environment in which Google's library finds them. */
export interface World extends AsyncDisposable {
  readonly google: GoogleStandIn;
  readonly url: URL;
  /** Authorization values that the server saw. */
  readonly seen: string[];
  /** Token requests that went through the network. */
  readonly fetched: string[];
  /** Tokens that it does not accept any more. */
  readonly dead: Set<string>;
  status: number;
  provider(options?: Partial<GoogleProviderOptions>): AuthProvider;
  /** Signs and sends one request. */
  use(provider: AuthProvider): Promise<number>;
}

export interface WorldOptions {
  /** A machine in Google Cloud, the content of a credentials file, or no credentials. */
  readonly credentials: 'metadata' | 'none' | 'garbage' | 'federation' | ((google: GoogleStandIn) => unknown);
}

export async function createWorld({ credentials }: WorldOptions): Promise<World> {
  const google = await startGoogle();
  const folder = await mkdtemp(join(tmpdir(), 'fittings-google-'));
  vi.stubEnv('CLOUDSDK_CONFIG', join(folder, 'gcloud'));
  vi.stubEnv('GOOGLE_CLOUD_QUOTA_PROJECT', undefined);
  vi.stubEnv('GCE_METADATA_HOST', google.host);
  vi.stubEnv('METADATA_SERVER_DETECTION', credentials === 'metadata' ? 'assume-present' : 'none');
  let file: string | undefined;
  if (credentials !== 'metadata' && credentials !== 'none') {
    file = join(folder, 'credentials.json');
    const tokenFile = join(folder, 'workload-token');
    await writeFile(tokenFile, CANARIES.workload);
    const make = credentials === 'federation' ? () => google.federationFile(tokenFile) : credentials;
    await writeFile(file, make === 'garbage' ? 'canary-key, and no JSON' : JSON.stringify(make(google)));
  }
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);

  const seen: string[] = [];
  const fetched: string[] = [];
  const dead = new Set<string>();
  const http = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    seen.push(authorization);
    const token = authorization.slice('Bearer '.length);
    request.resume();
    if (world.status !== 200) response.writeHead(world.status);
    else if (google.alive.has(token) && !dead.has(token)) response.writeHead(200);
    else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' });
    response.end();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const url = new URL(`http://127.0.0.1:${String(address.port)}/mcp`);
  const network = createHttpClient({ url });

  const world: World = {
    google,
    url,
    seen,
    fetched,
    dead,
    status: 200,
    provider: (options = {}) =>
      createGoogleProvider({
        url,
        server: 'cloud',
        hosts: ['127.0.0.1'],
        endpoints: { token: `${google.origin}/token`, iamCredentials: google.origin },
        // The library has no setting for the addresses of Google's hosts.
        network: {
          fetch(target, init) {
            const place = new URL(target);
            const moved = place.hostname.endsWith('.googleapis.com')
              ? new URL(place.pathname, google.origin)
              : place;
            fetched.push(`${init?.method ?? 'GET'} ${moved.pathname}`);
            return network.fetch(moved, init);
          },
        },
        ...options,
      }),
    async use(provider) {
      for (let n = 0; ; n++) {
        const headers = await provider.headers({ url, method: 'POST' });
        const response = await fetch(url, { method: 'POST', headers, body: '{}' });
        await response.body?.cancel();
        const { status } = response;
        if ((status !== 401 && status !== 403) || n === 2) return status;
        await provider.onChallenge({ url, status, refused: headers['authorization'] });
      }
    },
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await network.close();
      await google[Symbol.asyncDispose]();
      http.close();
      http.closeAllConnections();
      await rm(folder, { recursive: true });
    },
  };
  return world;
}
