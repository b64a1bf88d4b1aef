import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createClientCredentialsProvider,
  createOAuthProvider,
  type OAuthProviderOptions,
} from '@mcp-fittings/auth-oauth';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import { REDIRECT, startFalseServer, type FalseServer } from './support/false-server.js';
import {
  REMOTE,
  REMOTE_ISSUER,
  remoteDocuments,
  scriptSignIn,
  type ScriptedSignIn,
} from './support/scripted-sign-in.js';

let server: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(() => server[Symbol.asyncDispose]());

/** What the resource names, and what the metadata says. */
const describeIssuer = (named: string, issuer: string): void =>
  server.describe({ resource: { authorization_servers: [named] }, issuer: { issuer } });
const slashed = (isSlashed: boolean): string => `${server.origin}${isSlashed ? '/' : ''}`;
const posted = (path: string): number => server.asked.filter(({ line }) => line === `POST ${path}`).length;

describe('an issuer with and without the slash of its empty path', () => {
  it.each([
    [true, false],
    [false, true],
  ])('is one issuer: named with it %s, in the metadata %s', async (named, said) => {
    describeIssuer(slashed(named), slashed(said));
    person.answer = (state) => `code=abc&state=${state}&iss=${encodeURIComponent(slashed(said))}`;
    expect(await person.signIn()).toBe('signed in');
  });

  it.each([true, false])(
    'is refused in a redirect that differs from the metadata, with it %s',
    async (said) => {
      describeIssuer(slashed(said), slashed(said));
      person.answer = (state) => `code=abc&state=${state}&iss=${encodeURIComponent(slashed(!said))}`;
      expect(await person.signIn()).toMatchObject({ code: 'AUTH_FAILED' });
      expect(posted('/token')).toBe(0);
    },
  );

  it('keeps a sign-in, a registration and a revocation when the metadata changes', async () => {
    let now = Date.now();
    const options = { store: memoryStore(), clock: { ...systemClock, now: () => now } };
    const provider = await person.signedIn(options);
    describeIssuer(slashed(true), slashed(true));
    server.answers.set('/token', {
      body: { access_token: 'new', token_type: 'Bearer', refresh_token: 'r2' },
    });
    // The cached metadata is too old.
    now += 11 * 60_000;
    const challenge = { url: new URL(server.url), status: 401, refused: 'Bearer good' } as const;
    expect(await provider.onChallenge(challenge)).toBe('retry');
    await person.signedIn(options);
    expect(posted('/register')).toBe(1);
    describeIssuer(slashed(false), slashed(false));
    const document = server.documentAt('/.well-known/oauth-authorization-server');
    server.answers.set('/.well-known/oauth-authorization-server', {
      body: { ...document, revocation_endpoint: `${server.origin}/revoke` },
    });
    server.answers.set('/revoke', {});
    now += 11 * 60_000;
    await person.provider(options).signOut?.();
    expect(posted('/revoke')).toBe(2);
  });

  it.each([true, false])('is the issuer that a secret is configured for: with it %s', async (isSlashed) => {
    describeIssuer(slashed(!isSlashed), slashed(!isSlashed));
    const client = { clientId: 'c', clientSecret: 'secret', clientIssuer: slashed(isSlashed) };
    expect(await person.signIn(client)).toBe('signed in');
    const machine = createClientCredentialsProvider({ url: server.url, store: memoryStore(), ...client });
    expect(await machine.onChallenge({ url: new URL(server.url), status: 401 })).toBe('retry');
  });

  it('is the issuer that a secret was first sent to', async () => {
    const client = { clientId: 'c', clientSecret: 'secret', store: memoryStore() };
    expect(await person.signIn(client)).toBe('signed in');
    describeIssuer(slashed(true), slashed(true));
    expect(await person.signIn(client)).toBe('signed in');
  });

  it('is the issuer that a sign-in of a web application was started at', async () => {
    const options: OAuthProviderOptions = { url: server.url, clientName: 'tests', store: memoryStore() };
    const started = await createOAuthProvider(options).startSignIn({ redirectUri: REDIRECT });
    describeIssuer(slashed(true), slashed(true));
    await createOAuthProvider(options).completeSignIn(`${REDIRECT}?code=abc&state=${started.state}`);
    expect(posted('/token')).toBe(1);
  });
});

describe('an issuer that differs in anything else is another one', () => {
  it.each<[string, (origin: string) => string, (origin: string) => string]>([
    ['two slashes', (origin) => origin, (origin) => `${origin}//`],
    ['the slash of a path', (origin) => `${origin}/tenant`, (origin) => `${origin}/tenant/`],
    ['another host', (origin) => origin, () => 'https://evil.example'],
    ['a path', (origin) => origin, (origin) => `${origin}/tenant`],
    ['the case of the scheme', (origin) => origin, (origin) => origin.replace('http', 'HTTP')],
    ['another port', (origin) => origin, (origin) => `${origin}1/`],
    ['an empty query', (origin) => origin, (origin) => `${origin}/?`],
  ])('metadata with %s', async (_, named, said) => {
    describeIssuer(named(server.origin), said(server.origin));
    const metadata = server.answers.get('/.well-known/oauth-authorization-server') ?? {};
    server.answers.set('/.well-known/oauth-authorization-server/tenant', metadata);
    expect(await person.signIn()).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'issuer' },
    });
    expect(person.opened).toEqual([]);
  });

  it('metadata with the default port', async () => {
    const network = remoteDocuments({ issuer: `${REMOTE_ISSUER}:443` });
    expect(await person.signIn({ url: REMOTE, clientId: 'c', network })).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'issuer' },
    });
  });

  it.each(['/.', '/tenant', '1'])('a redirect whose iss ends in %s', async (end) => {
    person.answer = (state) => `code=abc&state=${state}&iss=${encodeURIComponent(server.origin + end)}`;
    expect(await person.signIn()).toMatchObject({ code: 'AUTH_FAILED' });
    expect(posted('/token')).toBe(0);
  });

  it('the hint names the option that accepts it, if it can', async () => {
    describeIssuer(`${server.origin}/tenant`, server.origin);
    const metadata = server.answers.get('/.well-known/oauth-authorization-server') ?? {};
    const place = '/.well-known/openid-configuration/tenant';
    server.answers.set(place, metadata);
    server.answers.delete('/.well-known/oauth-authorization-server');
    server.answers.set('/tenant/metadata', metadata);
    const error = await person.signIn();
    expect(error).toMatchObject({ hint: expect.stringContaining('oauth.authServerMetadataUrl') });
    const metadataUrl = `${server.origin}/tenant/metadata`;
    expect(await person.signIn({ endpoints: { metadataUrl } })).toBe('signed in');
  });
});
