import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createClientCredentialsProvider,
  createOAuthProvider,
  createWorkloadProvider,
  deviceCode,
  oauth,
} from '@mcp-fittings/auth-oauth';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createHttpClient } from '@mcp-fittings/http-client';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  demandPushedRequests,
  offerDeviceGrant,
  REDIRECT,
  startFalseServer,
  type FalseServer,
} from './support/false-server.js';
import { scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

let server: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(() => server[Symbol.asyncDispose]());

const posted = (path: string): readonly URLSearchParams[] =>
  server.asked.filter(({ line }) => line === `POST ${path}`).map(({ body }) => new URLSearchParams(body));
const challenge = () => ({ url: new URL(server.url), status: 401 }) as const;

/** The provider of an entry, as a host creates it. */
const ofEntry = (settings: object, store = memoryStore()): AuthProvider => {
  const plugin = oauth({
    clientName: 'tests',
    store,
    interaction: person.interaction,
    assertion: () => 'a.b.c',
  });
  const provider = plugin.create({ name: 'notes', config: { url: server.url, oauth: settings } }, {});
  if (provider === undefined) throw new Error('no provider');
  return provider;
};

describe.each([
  ['by default', undefined],
  ['with resource: false', false],
])('the resource of a request, %s', (_, resource) => {
  const named = (): string | null => (resource === false ? null : server.url);

  it('of a sign-in, and of its refresh by another process', async () => {
    const store = memoryStore();
    await person.signedIn({ resource, store });
    expect(person.opened[0]?.searchParams.get('resource')).toBe(named());
    await person.provider({ resource, store }).onChallenge({ ...challenge(), refused: 'Bearer good' });
    expect(posted('/token').map((form) => [form.get('grant_type'), form.get('resource')])).toEqual([
      ['authorization_code', named()],
      ['refresh_token', named()],
    ]);
  });

  it('of a pushed request', async () => {
    demandPushedRequests(server, { status: 201, body: { request_uri: 'urn:x', expires_in: 60 } });
    await person.signedIn({ resource });
    expect(posted('/par')[0]?.get('resource')).toBe(named());
  });

  it('of a device code', async () => {
    offerDeviceGrant(server);
    const provider = person.provider({
      resource,
      interaction: deviceCode({ show: () => undefined }),
      clock: { ...systemClock, schedule: (run: () => void) => systemClock.schedule(run, 1) },
      network: createHttpClient({ url: server.url, server: 'test' }),
    });
    await provider.signIn?.({});
    expect(posted('/device')[0]?.get('resource')).toBe(named());
  });

  it('of a sign-in of a web application', async () => {
    const provider = createOAuthProvider({
      url: server.url,
      clientName: 'tests',
      store: memoryStore(),
      resource,
    });
    const { url, state } = await provider.startSignIn({ redirectUri: REDIRECT });
    expect(url.searchParams.get('resource')).toBe(named());
    await provider.completeSignIn(`${REDIRECT}?code=abc&state=${state}`);
    expect(posted('/token')[0]?.get('resource')).toBe(named());
  });

  it('of client credentials and of a workload', async () => {
    const options = { url: server.url, store: memoryStore(), clientId: 'c', resource };
    await createClientCredentialsProvider({ ...options, clientSecret: 'secret' }).onChallenge(challenge());
    await createWorkloadProvider({ ...options, assertion: () => 'a.b.c' }).onChallenge(challenge());
    expect(posted('/token').map((form) => form.get('resource'))).toEqual([named(), named()]);
  });

  it('of the grants of an entry', async () => {
    await ofEntry({ resource }).signIn?.({});
    expect(person.opened[0]?.searchParams.get('resource')).toBe(named());
    const machine = { grant: 'client_credentials', clientId: 'c', clientSecret: 'secret', resource };
    await ofEntry(machine).onChallenge(challenge());
    await ofEntry({ grant: 'jwt_bearer', resource }).onChallenge(challenge());
    expect(posted('/token').map((form) => form.get('resource'))).toEqual([named(), named(), named()]);
  });
});

describe('the account of a sign-in', () => {
  it('is a hint for the authorization server', async () => {
    await person.signedIn({ loginHint: 'ann@example.com' });
    await ofEntry({ account: 'bob@example.com' }).signIn?.({});
    await ofEntry({}).signIn?.({});
    expect(person.opened.map(({ searchParams }) => searchParams.get('login_hint'))).toEqual([
      'ann@example.com',
      'bob@example.com',
      null,
    ]);
  });

  it('has its own tokens: an entry that names another one is not signed in', async () => {
    const store = memoryStore();
    await ofEntry({ account: 'ann@example.com' }, store).signIn?.({});
    const headersOf = (settings: object) =>
      ofEntry(settings, store).headers({ url: new URL(server.url), method: 'POST' });
    expect(await headersOf({ account: 'ann@example.com' })).toEqual({ authorization: 'Bearer good' });
    expect(await headersOf({ account: 'bob@example.com' })).toEqual({});
    expect(await headersOf({})).toEqual({});
  });

  it.each([{ resource: 'https://mcp.example' }, { account: '' }, { account: 7 }])(
    'an entry with %j is CONFIG_INVALID',
    (settings) => {
      expect(() => ofEntry(settings)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});
