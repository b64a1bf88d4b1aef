import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import {
  createBearerProvider,
  createClientCredentialsProvider,
  createHeadersCommandProvider,
  createWorkloadProvider,
  type Interaction,
} from '@mcp-fittings/auth-oauth';
import { fixtureOf } from './support/resource-server.js';
import { createWorld, scripted, type World } from './support/world.js';

const runner = { describe, it };
const CLIENT = {
  client_id: 'machine',
  client_secret: 'canary-secret',
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
};

for (const dpopOnly of [false, true]) {
  authProviderSuite(runner, {
    name: dpopOnly ? 'a person, with DPoP' : 'a person',
    capabilities: { signsIn: true, renews: true, signsOut: true },
    async setup() {
      const world = await createWorld();
      world.resource.dpopOnly = dpopOnly;
      let interactions = 0;
      const person = scripted();
      const interaction: Interaction = {
        begin(options) {
          interactions++;
          return person.begin(options);
        },
      };
      return { ...fixtureOf(world, world.provider({ interaction })), interactions: () => interactions };
    },
  });
}

authProviderSuite(runner, {
  name: 'client credentials',
  capabilities: { renews: true, signsOut: true },
  async setup() {
    const world = await createWorld({ clients: [CLIENT] });
    const provider = createClientCredentialsProvider({
      url: world.resource.url,
      store: world.store,
      clientId: 'machine',
      clientSecret: 'canary-secret',
    });
    return { ...fixtureOf(world, provider), secrets: ['canary-secret'] };
  },
});

authProviderSuite(runner, {
  name: 'workload',
  capabilities: { renews: true, signsOut: true },
  async setup() {
    const world = await createWorld({ clients: [CLIENT], workload: 'ca.na.ry' });
    const provider = createWorkloadProvider({
      url: world.resource.url,
      store: world.store,
      assertion: () => 'ca.na.ry',
      clientId: 'machine',
      clientSecret: 'canary-secret',
    });
    return { ...fixtureOf(world, provider), secrets: ['canary-secret', 'ca.na.ry'] };
  },
});

/** A token that is managed elsewhere, and counted there. */
async function foreignToken(world: World) {
  const issuer = createClientCredentialsProvider({
    url: world.resource.url,
    store: world.store,
    clientId: 'machine',
    clientSecret: 'canary-secret',
    clock: { ...systemClock },
  });
  await world.use(issuer);
  return async (): Promise<string> => {
    await issuer.signOut?.();
    await world.use(issuer);
    return (await issuer.headers({ url: new URL(world.resource.url), method: 'GET' }))['authorization'] ?? '';
  };
}

authProviderSuite(runner, {
  name: 'a token that is managed elsewhere',
  async setup() {
    const world = await createWorld({ clients: [CLIENT] });
    const authorization = await (await foreignToken(world))();
    const token = authorization.slice('Bearer '.length);
    return fixtureOf(world, createBearerProvider({ url: world.resource.url, token }));
  },
});

authProviderSuite(runner, {
  name: 'headers from a command',
  capabilities: { renews: true },
  async setup() {
    const world = await createWorld({ clients: [CLIENT] });
    const folder = await mkdtemp(join(tmpdir(), 'helper-'));
    const [file, log] = [join(folder, 'headers'), join(folder, 'log')];
    const next = await foreignToken(world);
    const print = async (): Promise<void> => writeFile(file, JSON.stringify({ authorization: await next() }));
    await print();
    await writeFile(log, '');
    const fixture = fixtureOf(
      world,
      createHeadersCommandProvider({
        url: world.resource.url,
        command: process.execPath,
        args: [join(import.meta.dirname, 'support/print-headers.mjs'), file, log],
      }),
    );
    return {
      ...fixture,
      async revoke() {
        await fixture.revoke?.();
        await print();
      },
      renewals: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
      async teardown() {
        await rm(folder, { recursive: true });
        await fixture.teardown();
      },
    };
  },
});
