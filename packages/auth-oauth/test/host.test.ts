import { get } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { interactionForEnvironment, oauth, type OAuthPluginOptions } from '@mcp-fittings/auth-oauth';
import { createHost } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import { scriptedPerson } from './support/authorization-server.mjs';
import { answer } from './support/ending-world.js';
import { createWorld } from './support/world.js';

describe('in a host', () => {
  it('waits in needs-auth, opens no browser, signs in on request through the loopback listener, and connects', async () => {
    await using world = await createWorld();
    world.resource.answer = answer;
    let opened = 0;
    let said = '';
    // The browser: follows the pages to the listener.
    const open = async (url: URL): Promise<void> => {
      opened++;
      const { location = '' } = await scriptedPerson(url);
      // `fetch` identifies itself as a script, which the listener refuses.
      get(location, (response) => {
        response.on('data', (chunk) => {
          said += String(chunk);
        });
      });
    };
    const host = createHost({
      name: 'tests',
      version: '1',
      transports: [http()],
      auth: [
        oauth({
          clientName: 'tests',
          store: world.store,
          interaction: interactionForEnvironment({ environment: 'desktop', loopback: { open } }),
        }),
      ],
    });
    const set = vi.spyOn(world.store, 'set');
    const [before] = await host.connect({ notes: { url: world.resource.url } });
    expect(before?.state.status).toBe('needs-auth');
    expect(opened).toBe(0);
    await host.signIn('notes');
    expect(host.server('notes').state.status).toBe('connected');
    expect(opened).toBe(1);
    await vi.waitFor(() => expect(said).toContain('You are signed in'), { timeout: 20_000 });
    const keys = set.mock.calls.map(([key]) => key).filter((key) => key.startsWith('oauth\n'));
    expect(keys.length).toBeGreaterThan(0);
    await host.signOut('notes');
    for (const key of keys) expect(await world.store.get(key)).toBeUndefined();
    await host.close();
  });

  it('ignores entries of other plugins, and reports the mistake in its own', () => {
    const plugin = oauth({ clientName: 'tests', store: memoryStore() });
    const create = (config: object): unknown => plugin.create({ name: 's', config: { ...config } }, {});
    const url = 'https://mcp.example/';
    for (const config of [
      {},
      { command: 'x' },
      { url, apiKey: 'k' },
      { url, headers: { AUTHORIZATION: 'x' } },
      { url, oauth: { enabled: false } },
      { url, oauth: { xaa: true } },
    ]) {
      expect(create(config)).toBeUndefined();
    }
    expect(() => create({ url, oauth: { clientId: 5 } })).toThrow('oauth.clientId');
    expect(() => create({ url, oauth: { grant: 'client_credentials' } })).toThrow('clientId');
    expect(() => create({ url, oauth: { grant: 'jwt_bearer' } })).toThrow('assertion');
  });

  it('reaches the authorization server with the network options of the entry', async () => {
    await using world = await createWorld({ clients: [MACHINE] });
    const url = world.resource.url;
    const grant = { grant: 'client_credentials', clientId: 'machine', clientSecret: 'secret' };
    const codeOf = async (entry: object, network?: OAuthPluginOptions['network']): Promise<unknown> => {
      const plugin = oauth({ clientName: 'tests', store: memoryStore(), network });
      const provider = plugin.create({ name: 's', config: { url, oauth: grant, ...entry } }, {});
      const challenge = { url: new URL(url), status: 401 } as const;
      return provider?.onChallenge(challenge).catch((error: { code?: unknown }) => error.code);
    };
    const unreachable = 'http://127.0.0.1:1';
    expect(await codeOf({})).toBe('retry');
    expect(await codeOf({ proxy: unreachable })).toBe('PROXY_FAILED');
    expect(await codeOf({}, { proxy: unreachable })).toBe('PROXY_FAILED');
    expect(await codeOf({ proxy: 'none' }, { proxy: unreachable })).toBe('retry');
    expect(await codeOf({ ca: '/no/such/file.pem' })).toBe('CONFIG_INVALID');
    await expect(codeOf({ allowAddresses: 'all' })).rejects.toThrow('allowAddresses');
  });
});

const MACHINE = {
  client_id: 'machine',
  client_secret: 'secret',
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
};
