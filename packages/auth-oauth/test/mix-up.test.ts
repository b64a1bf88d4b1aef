import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import { REMOTE, remoteDocuments, scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

let server: FalseServer;
let evil: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  evil = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await evil[Symbol.asyncDispose]();
});

describe('an endpoint that receives credentials is on the origin of the sign-in page', () => {
  it.each([
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
    'device_authorization_endpoint',
    'pushed_authorization_request_endpoint',
  ])('%s of another server is refused, and that server is sent nothing', async (name) => {
    server.describe({ issuer: { [name]: `${evil.origin}/token` } });
    expect(await person.signIn()).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      message: expect.stringContaining(name),
      details: { reason: 'endpoint' },
    });
    expect(person.opened).toEqual([]);
    expect(evil.asked).toEqual([]);
  });

  it.each([
    ['another port', 'https://login.example:8443/token'],
    ['a subdomain', 'https://api.login.example/token'],
    ['a parent domain', 'https://example/token'],
    ['another scheme', 'http://login.example/token'],
    ['a look-alike', 'https://login.example.evil.example/token'],
    ['another case of another host', 'https://LOGIN.EVIL.example/token'],
  ])('the token endpoint on %s is refused', async (_, token) => {
    const network = remoteDocuments({ token_endpoint: token });
    expect(await person.signIn({ url: REMOTE, clientId: 'c', network })).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'endpoint' },
    });
    expect(network.asked.map(({ url }) => url)).not.toContain(token);
  });

  it('accepts the same origin in another spelling', async () => {
    const network = remoteDocuments(
      { token_endpoint: 'https://LOGIN.example:443/token' },
      { 'https://login.example/token': { access_token: 'a', token_type: 'Bearer' } },
    );
    expect(await person.signIn({ url: REMOTE, clientId: 'c', network })).toBe('signed in');
  });

  it('the same rule applies to metadata at a configured URL and at the legacy URL', async () => {
    const issuer = { token_endpoint: `${evil.origin}/token` };
    server.describe({ issuer });
    const metadataUrl = `${server.origin}/.well-known/oauth-authorization-server`;
    expect(await person.signIn({ endpoints: { metadataUrl } })).toMatchObject({
      details: { reason: 'endpoint' },
    });
    server.answers.delete('/.well-known/oauth-protected-resource/api');
    expect(await person.signIn()).toMatchObject({ details: { reason: 'endpoint' } });
    expect(evil.asked).toEqual([]);
  });

  it('a refresh does not go to an endpoint that has moved to another server', async () => {
    const store = memoryStore();
    server.answers.set('/token', {
      body: { access_token: 'a', token_type: 'Bearer', refresh_token: 'canary-refresh', expires_in: 3600 },
    });
    expect(await person.signIn({ store })).toBe('signed in');
    server.describe({ issuer: { token_endpoint: `${evil.origin}/token` } });
    let now = Date.now();
    const later = (): AuthProvider => person.provider({ store, clock: { ...systemClock, now: () => now } });
    const challenge = { url: new URL(server.url), status: 401, refused: 'Bearer a' } as const;
    // Known from the store: it goes where the token came from.
    server.answers.set('/token', {
      body: { access_token: 'b', token_type: 'Bearer', refresh_token: 'canary-2', expires_in: 3600 },
    });
    expect(await later().onChallenge(challenge)).toBe('retry');
    expect(evil.asked).toEqual([]);
    // That is gone.
    server.answers.set('/token', { status: 404 });
    now += 60_000;
    const refused = { ...challenge, refused: 'Bearer b' };
    const failure = { code: 'AUTH_DISCOVERY_FAILED', details: { reason: 'endpoint' } };
    await expect(later().onChallenge(refused)).rejects.toMatchObject(failure);
    // It was found too long ago.
    now += 11 * 60_000;
    await expect(later().onChallenge(refused)).rejects.toMatchObject(failure);
    expect(evil.asked).toEqual([]);
  });

  it('accepts an allowed origin, and any origin of a server that sends iss', async () => {
    server.describe({ issuer: { token_endpoint: `${evil.origin}/token` } });
    expect(await person.signIn({ allowedEndpointOrigins: [evil.origin] })).toBe('signed in');
    server.describe({
      issuer: {
        token_endpoint: `${evil.origin}/token`,
        authorization_response_iss_parameter_supported: true,
      },
    });
    person.answer = (state) => `code=abc&state=${state}&iss=${encodeURIComponent(server.origin)}`;
    expect(await person.signIn()).toBe('signed in');
    // The honest server of a mix-up names itself, or sends no issuer.
    const before = evil.asked.length;
    person.answer = (state) => `code=abc&state=${state}`;
    expect(await person.signIn()).toMatchObject({ code: 'AUTH_FAILED' });
    expect(evil.asked).toHaveLength(before);
    expect(person.shown).toEqual(['success', 'success', 'failure']);
  });

  it('does not offer the device grant across origins, even if the server sends iss', async () => {
    const grants: boolean[] = [];
    server.describe({
      issuer: {
        authorization_response_iss_parameter_supported: true,
        device_authorization_endpoint: `${evil.origin}/device`,
      },
    });
    person.answer = (state) => `code=abc&state=${state}&iss=${encodeURIComponent(server.origin)}`;
    const interaction = ({ deviceGrant }: { readonly deviceGrant: boolean }) => {
      grants.push(deviceGrant);
      return person.interaction;
    };
    expect(await person.signIn({ interaction })).toBe('signed in');
    expect(grants).toEqual([false]);
  });
});

describe('metadata speaks for an issuer of its own origin only', () => {
  it.each([
    ['from elsewhere', '/metadata'],
    ['from the well-known place of elsewhere', '/.well-known/oauth-authorization-server'],
    ['from a tenant of elsewhere', '/.well-known/openid-configuration/tenant'],
  ])('a claim of an honest issuer %s is refused, and nothing of that issuer is sent', async (_, path) => {
    const store = memoryStore();
    server.answers.set('/token', {
      body: { access_token: 'a', token_type: 'Bearer', refresh_token: 'canary-refresh', expires_in: 3600 },
    });
    server.answers.set('/register', {
      status: 201,
      body: {
        client_id: 'c',
        client_secret: 'canary-secret',
        token_endpoint_auth_method: 'client_secret_basic',
      },
    });
    expect(await person.signIn({ store })).toBe('signed in');
    evil.answers.set(path, {
      body: {
        issuer: server.origin,
        authorization_endpoint: `${server.origin}/authorize`,
        token_endpoint: `${evil.origin}/token`,
        revocation_endpoint: `${evil.origin}/revoke`,
        code_challenge_methods_supported: ['S256'],
      },
    });
    const metadataUrl = `${evil.origin}${path}`;
    expect(await person.signIn({ store, endpoints: { metadataUrl } })).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'issuer' },
    });
    const provider = person.provider({ store, endpoints: { metadataUrl } });
    await provider
      .onChallenge({ url: new URL(server.url), status: 401, refused: 'Bearer a' })
      .catch(() => undefined);
    await provider.signOut?.();
    expect(JSON.stringify(evil.asked)).not.toMatch(/canary|POST/);
  });

  it('the well-known URL of one tenant cannot describe another one of the same host', async () => {
    const place = '/.well-known/oauth-authorization-server/evil';
    server.answers.set(place, {
      body: {
        issuer: `${server.origin}/honest`,
        authorization_endpoint: `${server.origin}/authorize`,
        token_endpoint: `${server.origin}/token`,
        code_challenge_methods_supported: ['S256'],
      },
    });
    const metadataUrl = `${server.origin}${place}`;
    expect(await person.signIn({ clientId: 'c', endpoints: { metadataUrl } })).toMatchObject({
      details: { reason: 'issuer' },
    });
  });

  it('accepts its own issuer at a URL of its own', async () => {
    const found = server.answers.get('/.well-known/oauth-authorization-server');
    server.answers.set('/elsewhere.json', found ?? {});
    expect(await person.signIn({ endpoints: { metadataUrl: `${server.origin}/elsewhere.json` } })).toBe(
      'signed in',
    );
  });

  it.each(['nonsense', 'file:///etc/passwd', ''])(
    '"%s" as the configured address is a mistake of the configuration',
    async (metadataUrl) => {
      expect(await person.signIn({ endpoints: { metadataUrl } })).toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );
});
