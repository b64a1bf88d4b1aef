import { describe, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { fixtureOf } from '../../auth-oauth/test/support/resource-server.js';
import { createWorld, SECRET } from './support/world.js';

authProviderSuite(
  { describe, it },
  {
    name: 'XAA',
    capabilities: { signsIn: true, renews: true, signsOut: true },
    async setup() {
      const world = await createWorld();
      return {
        ...fixtureOf(world, world.provider(world.identity())),
        // A renewal is an access token that the authorization server issued.
        renewals: () => world.as.tokenRequests.filter(({ status }) => status === 200).length,
        interactions: () => world.pages.length,
        secrets: [SECRET],
      };
    },
  },
);
