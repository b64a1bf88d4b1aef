import { describe, expect, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import type { GoogleProviderOptions } from '@mcp-fittings/auth-google';
import { CANARIES, ROBOT } from './support/google-stand-in.js';
import { createWorld, type WorldOptions } from './support/world.js';

const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

/** O8: every kind of credentials keeps the same contract. */
const WAYS: readonly (WorldOptions & { readonly name: string } & Partial<GoogleProviderOptions>)[] = [
  { name: 'access token of the machine', credentials: 'metadata', scopes: SCOPES },
  { name: 'ID token of the machine', credentials: 'metadata' },
  { name: 'access token of a person', credentials: ({ userFile }) => userFile, scopes: SCOPES },
  { name: 'access token of a key file', credentials: ({ keyFile }) => keyFile, scopes: SCOPES },
  { name: 'ID token of a key file', credentials: ({ keyFile }) => keyFile },
  {
    name: 'access token of another service account',
    credentials: ({ userFile }) => userFile,
    scopes: SCOPES,
    serviceAccount: ROBOT,
  },
  {
    name: 'access token of a person who acts as a service account',
    credentials: ({ impersonationFile }) => impersonationFile,
    scopes: SCOPES,
  },
  { name: 'access token of a workload elsewhere', credentials: 'federation', scopes: SCOPES },
  {
    name: 'ID token of another service account',
    credentials: ({ userFile }) => userFile,
    serviceAccount: ROBOT,
  },
];

for (const { name, credentials, ...options } of WAYS) {
  authProviderSuite(
    { describe, it },
    {
      name,
      capabilities: { renews: true },
      async setup() {
        const world = await createWorld({ credentials });
        const { google, url, dead } = world;
        return {
          provider: world.provider(options),
          url,
          async send(headers) {
            const response = await fetch(url, { method: 'POST', headers, body: '{}' });
            await response.body?.cancel();
            return {
              status: response.status,
              wwwAuthenticate: response.headers.get('www-authenticate') ?? undefined,
            };
          },
          async revoke() {
            // At the server only: Google still accepts the credentials of the impersonation.
            for (const value of world.seen) dead.add(value.slice('Bearer '.length));
          },
          async refuseAll() {
            world.status = 401;
          },
          renewals: () => {
            const last = google.requests.at(-1)?.line;
            return google.requests.filter(({ line }) => line === last).length;
          },
          secrets: Object.values(CANARIES),
          async teardown() {
            await world[Symbol.asyncDispose]();
          },
        };
      },
    },
  );
}

describe('every token request follows the policy of the network, except those to the metadata server', () => {
  for (const { name, credentials, ...options } of WAYS) {
    it(name, async () => {
      await using world = await createWorld({ credentials });
      expect(await world.use(world.provider(options))).toBe(200);
      const lines = world.google.requests
        .map(({ line }) => line)
        .filter((line) => !line.includes('/computeMetadata/'));
      expect(world.fetched).toEqual(lines);
      expect(lines.length > 0).toBe(credentials !== 'metadata');
    });
  }
});
