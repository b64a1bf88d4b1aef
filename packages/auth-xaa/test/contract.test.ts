import { describe, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { createWorld, SECRET } from './support/world.js';

authProviderSuite(
  { describe, it },
  {
    name: 'XAA',
    capabilities: { signsIn: true, renews: true, signsOut: true },
    async setup() {
      const world = await createWorld();
      const { resource, as } = world;
      const url = new URL(resource.url);
      return {
        provider: world.provider(world.identity()),
        url,
        async send(headers) {
          const response = await fetch(url, { method: 'POST', headers, body: '{}' });
          await response.body?.cancel();
          const { status } = response;
          return { status, wwwAuthenticate: response.headers.get('www-authenticate') ?? undefined };
        },
        async revoke() {
          for (const value of resource.seen) resource.dead.add(value?.split(' ')[1] ?? '');
        },
        async refuseAll() {
          resource.find = async () => undefined;
        },
        // A renewal is an access token that the authorization server issued.
        renewals: () => as.tokenRequests.filter(({ status }) => status === 200).length,
        interactions: () => world.pages.length,
        secrets: [SECRET],
        async teardown() {
          await world[Symbol.asyncDispose]();
        },
      };
    },
  },
);
