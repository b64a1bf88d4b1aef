import { describe, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { createTicketProvider } from '../src/index.js';

authProviderSuite(
  { describe, it },
  {
    name: 'ticket',
    capabilities: { renews: true },
    async setup() {
      const url = new URL('https://server.example/mcp');
      const good = new Set<string>();
      let issued = 0;
      let closed = false;
      const provider = createTicketProvider({
        url,
        async issue() {
          const value = `canary-${++issued}`;
          good.add(value);
          return value;
        },
      });
      return {
        provider,
        url,
        // The server that it signs for.
        async send({ authorization = '' }) {
          const accepted = !closed && good.has(authorization.slice('Bearer '.length));
          return { status: accepted ? 200 : 401, wwwAuthenticate: 'Bearer' };
        },
        revoke: async () => good.clear(),
        async refuseAll() {
          closed = true;
        },
        renewals: () => issued,
        teardown: async () => undefined,
      };
    },
  },
);
