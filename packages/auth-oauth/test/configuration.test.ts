import { describe, expect, it } from 'vitest';
import { memoryStore } from '@mcp-fittings/store-file';
import { createOAuthProvider, oauth, type OAuthPluginOptions } from '@mcp-fittings/auth-oauth';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { startFalseServer } from './support/false-server.js';
import { scriptSignIn } from './support/scripted-sign-in.js';

const url = 'https://mcp.example/api';
const plugin = (more: Partial<OAuthPluginOptions> = {}) =>
  oauth({ clientName: 'tests', store: memoryStore(), ...more });
const create = (config: object, more?: Partial<OAuthPluginOptions>): unknown =>
  plugin(more).create({ name: 'notes', config: { url, ...config } }, {});

describe('the URL of a Client ID Metadata Document', () => {
  it.each([
    '',
    'nonsense',
    'http://app.example/client.json',
    'https://app.example/',
    'https://app.example/client.json#',
    'https://user:word@app.example/client.json',
    'https://app.example/a/../client.json',
    'https://app.example/%2E/client.json',
    'https://APP.example/client.json',
    'https:/app.example/client.json',
    'https://app.example\\client.json',
  ])('%j is refused at configuration', (clientMetadataUrl) => {
    const mistake = expect.objectContaining({ code: 'CONFIG_INVALID' });
    expect(() => plugin({ clientMetadataUrl })).toThrow(mistake);
    expect(() =>
      createOAuthProvider({ url, store: memoryStore(), clientName: 'tests', clientMetadataUrl }),
    ).toThrow(mistake);
  });

  it.each([
    'https://app.example/client.json',
    'https://app.example:8443/a/b?v=1',
    'https://app.example/a..b',
  ])('%j is taken', (clientMetadataUrl) => {
    expect(plugin({ clientMetadataUrl }).scheme).toBe('oauth');
  });
});

describe('an entry with another authProviderType', () => {
  it.each([
    ['google_credentials', 'auth-google'],
    ['google', 'google_credentials'],
    ['sa-impersonation', 'service_account_impersonation'],
    ['Google_Credentials', 'google_credentials'],
    ['dynamic-discovery', 'dynamic_discovery'],
    ['', 'Did you mean'],
    ['of-a-company', 'before oauth()'],
    [5, 'auth'],
  ])('%j is not taken by oauth()', (authProviderType, hint) => {
    expect(() => create({ authProviderType })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining(hint) }),
    );
    expect(() => create({ authProviderType, apiKey: 'k' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('accepts "dynamic_discovery", and ignores a local server', () => {
    expect(create({ authProviderType: 'dynamic_discovery' })).toBeDefined();
    expect(create({ url: undefined, command: 'x', authProviderType: 'google' })).toBeUndefined();
  });

  it('a host without any plugin for it does not connect unsigned', async () => {
    await using server = await startFalseServer();
    const host = createHost({ name: 'tests', version: '1', transports: [http()] });
    const [notes] = await host.connect({ notes: { url: server.url, authProviderType: 'gogle' } });
    expect(notes?.state).toMatchObject({ status: 'failed', error: { code: 'CONFIG_INVALID' } });
    expect(server.asked).toEqual([]);
    await host.close();
  });
});

describe('the redirect URI of an entry', () => {
  it.each([
    ['http://localhost:8080/oauth/callback', 8080],
    ['http://127.0.0.1:33418/', 33_418],
    ['http://[::1]:8080/cb', 8080],
    ['http://localhost/cb', undefined],
    ['http://localhost:80/cb', 80],
    ['http://localhost:080', 80],
  ])('%s is sent to the authorization server', async (redirectUri, callbackPort) => {
    await using server = await startFalseServer();
    const person = scriptSignIn(server);
    const asked: object[] = [];
    const interaction = {
      begin: async (options: Parameters<typeof person.interaction.begin>[0]) => {
        asked.push(options);
        return person.interaction.begin(options);
      },
    };
    const provider = oauth({ clientName: 'tests', store: memoryStore(), interaction }).create(
      { name: 'notes', config: { url: server.url, oauth: { clientId: 'c', redirectUri } } },
      {},
    );
    await provider?.signIn?.({});
    const { hostname, pathname } = new URL(redirectUri);
    expect(asked).toMatchObject([{ callbackHost: hostname, callbackPath: pathname, callbackPort }]);
  });

  it.each([
    'https://localhost/cb',
    'http://evil.example/cb',
    'http://0.0.0.0/cb',
    'http://u@localhost/cb',
    'http://localhost/cb?x=1',
    'http://localhost/cb#x',
    'nonsense',
  ])('%s is a mistake of the configuration', (redirectUri) => {
    expect(() => create({ oauth: { redirectUri } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
