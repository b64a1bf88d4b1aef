import { get } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { interactionForEnvironment, oauth } from '@mcp-fittings/auth-oauth';
import { xaa, XAA_EXTENSION } from '@mcp-fittings/auth-xaa';
import { createHost } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { startTokenedServer, type TokenedRequest } from '../../auth-oauth/test/support/tokened-server.js';
import { createWorld, SECRET } from './support/world.js';

describe('in a host with real MCP servers', () => {
  it('one sign-in serves all XAA servers and no others, and calls work', async () => {
    await using world = await createWorld();
    const { as } = world;
    const required = { issuer: () => as.origin, personOf: ({ token }: TokenedRequest) => as.find(token) };
    await using one = await startTokenedServer(required);
    await using two = await startTokenedServer(required);
    let opened = 0;
    let said = '';
    const open = async (url: URL): Promise<void> => {
      opened++;
      const { location = '' } = await scriptedPerson(url);
      get(location, (response) => {
        response.on('data', (chunk) => {
          said += String(chunk);
        });
      });
    };
    const interaction = interactionForEnvironment({ environment: 'desktop', loopback: { open } });
    const { store } = world;
    const plugin = xaa({
      identityProvider: { issuer: world.idp.origin, clientId: 'host' },
      store,
      interaction,
    });
    const start = () =>
      createHost({
        name: 'tests',
        version: '1',
        extensions: { [XAA_EXTENSION]: {} },
        transports: [http()],
        auth: [plugin, oauth({ clientName: 'tests', store, interaction })],
      });
    const managed = { xaa: true, clientId: 'mcp-client', clientSecret: SECRET };
    const servers = { one: { url: one.url, oauth: managed }, two: { url: two.url, oauth: managed } };
    const host = start();
    const before = await host.connect(servers);
    expect(before.map(({ state }) => state.status)).toEqual(['needs-auth', 'needs-auth']);
    expect(opened).toBe(0);

    await host.signIn('one');
    await host.signIn('two');
    expect(opened).toBe(1);
    await vi.waitFor(() => expect(said).toContain('You are signed in'), { timeout: 20_000 });
    for (const server of ['one', 'two']) {
      const result = await host.callTool({ server, tool: 'whoami' }, {});
      expect(JSON.stringify(result)).toContain('person');
    }
    expect(one.received.join('\n')).toContain(`"${XAA_EXTENSION}"`);
    await host.close();

    const again = start();
    const after = await again.connect(servers);
    expect(after.map(({ state }) => state.status)).toEqual(['connected', 'connected']);
    expect(opened).toBe(1);
    await again.close();
  });

  it('ignores entries of other plugins, and reports mistakes in its own', () => {
    const plugin = xaa({
      identityProvider: { issuer: 'https://idp.example', clientId: 'host' },
      store: memoryStore(),
    });
    const create = (config: object): unknown => plugin.create({ name: 's', config: { ...config } }, {});
    const url = 'https://mcp.example/';
    for (const config of [
      {},
      { command: 'x', oauth: { xaa: true } },
      { url },
      { url, oauth: {} },
      { url, oauth: { xaa: false } },
      { url, oauth: { xaa: true, enabled: false } },
      { url, oauth: { xaa: true }, apiKey: 'k' },
    ]) {
      expect(create(config)).toBeUndefined();
    }
    expect(create({ url, oauth: { xaa: true } })).toBeDefined();
    expect(() => create({ url, oauth: { xaa: true, clientId: 5 } })).toThrow('oauth.clientId');
    for (const issuer of [
      'http://idp.example',
      'idp',
      'https://idp.example?x=1',
      'https://me@idp.example',
      'https://:word@idp.example',
    ]) {
      const identityProvider = { issuer, clientId: 'host' };
      expect(() => xaa({ identityProvider, store: memoryStore() })).toThrow('https issuer');
    }
  });
});
