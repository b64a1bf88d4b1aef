import { describe, expect, it } from 'vitest';
import { google } from '@mcp-fittings/auth-google';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { startTokenedServer } from '../../auth-oauth/test/support/tokened-server.js';
import { ROBOT } from './support/google-stand-in.js';
import { createWorld } from './support/world.js';

const config = (entry: Record<string, unknown>) => ({ name: 'cloud', config: entry });
const oauth = { scopes: ['https://www.googleapis.com/auth/cloud-platform'] };
const url = 'https://bigquery.googleapis.com/mcp';

describe('google()', () => {
  it.each([{}, { url }, { url, authProviderType: 'dynamic_discovery' }, { command: 'x' }])(
    'leaves %j to others',
    (entry) => {
      expect(google().create(config(entry), {})).toBeUndefined();
    },
  );

  it.each([
    { authProviderType: 'google_credentials', url, oauth },
    { authProviderType: 'google_credentials', url },
    { authProviderType: 'google_credentials', url, targetAudience: 'a' },
    {
      authProviderType: 'service_account_impersonation',
      url,
      targetAudience: '1-a.apps.googleusercontent.com',
      targetServiceAccount: ROBOT,
    },
  ])('serves %j', (entry) => {
    const plugin = google({ hosts: ['bigquery.googleapis.com'] });
    expect(plugin.create(config(entry), {})).toBeDefined();
  });

  it.each([
    [{ authProviderType: 'google_credentials' }, '"url" is missing'],
    [{ authProviderType: 'google_credentials', url, oauth: { scopes: 'x' } }, '"oauth.scopes" must be'],
    [{ authProviderType: 'service_account_impersonation', url }, 'or neither'],
    [{ authProviderType: 'google_credentials', url, targetServiceAccount: ROBOT }, 'or neither'],
    [{ authProviderType: 'google_credentials', url, targetAudience: 7 }, '"targetAudience" must be'],
    [{ authProviderType: 'google_credentials', url, targetAudience: '' }, '"targetAudience"'],
    [{ authProviderType: 'google_credentials', url, oauth: { scopes: [''] } }, '"oauth.scopes'],
    [
      { authProviderType: 'service_account_impersonation', url, targetServiceAccount: '' },
      '"targetServiceAccount"',
    ],
  ])('reports what is wrong with %j', (entry, message) => {
    expect(() => google().create(config(entry), {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('requests tokens without the proxy and certificates of an entry, which are for its server', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const { url: server, google: stand } = world;
    const plugin = google({ hosts: ['127.0.0.1'], endpoints: { token: `${stand.origin}/token` } });
    const entry = { authProviderType: 'google_credentials', url: server.href, oauth };
    const strange = { ...entry, proxy: 'http://127.0.0.1:1', ca: '/no/such/file.pem' };
    const headers = await plugin.create(config(strange), {})?.headers({ url: server, method: 'POST' });
    expect(headers?.['authorization']).toMatch(/^Bearer ya29/);
  });

  it('signs the requests of a host as the entry says; without credentials only the server fails', async () => {
    await using world = await createWorld({ credentials: 'metadata' });
    await using server = await startTokenedServer({
      issuer: () => 'https://accounts.google.com',
      personOf: async ({ token }) => world.google.alive.get(token),
    });
    const entry = {
      url: server.url,
      authProviderType: 'google_credentials',
      oauth,
      headers: { 'X-Goog-User-Project': 'from-the-entry' },
    };
    const host = createHost({
      name: 'tests',
      version: '1',
      transports: [http()],
      auth: [google({ hosts: ['127.0.0.1'] })],
    });
    const states = await host.connect({
      cloud: entry,
      elsewhere: { ...entry, url: 'https://evil.example/' },
    });
    expect(states.map(({ state }) => state.status)).toEqual(['connected', 'failed']);
    expect(states[1]?.state).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    expect(server.received.length).toBeGreaterThan(0);
    for (const request of server.received) expect(request).toContain('x-goog-user-project\nfrom-the-entry');
    await host.close();
  });
});
