import { describe, expect, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { createWorld, type World } from '../../../packages/auth-oauth/test/support/world.js';
import { createOnBehalfOfProvider } from '../src/index.js';

const SECRETS = { clientSecret: 'canary-secret', subjectToken: 'canary-token' };

/** An authorization server that accepts one token of a user. */
function createUserWorld(): Promise<World> {
  const client = {
    client_id: 'web-app',
    client_secret: SECRETS.clientSecret,
    redirect_uris: [],
    response_types: [],
    grant_types: [],
  };
  return createWorld({ clients: [client], workload: SECRETS.subjectToken });
}

function providerFor(
  { resource, store, as }: World,
  options: { subjectToken?: string; issuer?: string } = {},
) {
  const { subjectToken = SECRETS.subjectToken, issuer = as.origin } = options;
  return createOnBehalfOfProvider({
    url: resource.url,
    store,
    issuer,
    clientId: 'web-app',
    clientSecret: SECRETS.clientSecret,
    subjectToken: () => subjectToken,
  });
}

authProviderSuite(
  { describe, it },
  {
    name: 'on behalf of a user',
    capabilities: { renews: true, signsOut: true },
    async setup() {
      const world = await createUserWorld();
      const { resource, as } = world;
      const url = new URL(resource.url);
      return {
        provider: providerFor(world),
        url,
        secrets: Object.values(SECRETS),
        async send(headers) {
          const response = await fetch(url, { method: 'POST', headers, body: '{}' });
          await response.body?.cancel();
          return {
            status: response.status,
            wwwAuthenticate: response.headers.get('www-authenticate') ?? undefined,
          };
        },
        async revoke() {
          for (const value of resource.seen) resource.dead.add(value?.split(' ')[1] ?? '');
        },
        async refuseAll() {
          resource.find = async () => undefined;
        },
        renewals: () => as.tokenRequests.length,
        async teardown() {
          await world[Symbol.asyncDispose]();
        },
      };
    },
  },
);

it('sends nothing to an authorization server that the application does not name', async () => {
  await using world = await createUserWorld();
  const provider = providerFor(world, { issuer: 'https://login.example.com' });
  await expect(world.use(provider)).rejects.toMatchObject({ code: 'POLICY_DENIED' });
  expect(world.as.tokenRequests).toEqual([]);
});

it('rejects with the code of the authorization server, and without the tokens', async () => {
  await using world = await createUserWorld();
  const error: unknown = await world
    .use(providerFor(world, { subjectToken: 'canary-other' }))
    .catch((e) => e);
  expect(error).toMatchObject({ code: 'AUTH_FAILED', details: { oauthError: 'invalid_grant' } });
  expect(String(error)).not.toContain('canary');
});
