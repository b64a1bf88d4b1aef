import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createClientCredentialsProvider } from '@mcp-fittings/auth-oauth';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import {
  documentsAt,
  REMOTE,
  remoteDocuments,
  scriptSignIn,
  type ScriptedSignIn,
} from './support/scripted-sign-in.js';
import { checkBrowserTarget } from '../src/discovery/accepted-metadata.js';
import { metadataUrls } from '../src/discovery/issuer-url.js';

let server: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(() => server[Symbol.asyncDispose]());

const PATH = '/.well-known/oauth-protected-resource/api';
const ROOT = '/.well-known/oauth-protected-resource';

const challenge = () => ({ url: new URL(server.url), status: 401 }) as const;
const machine = (more: object = {}) =>
  createClientCredentialsProvider({
    url: server.url,
    store: memoryStore(),
    clientId: 'machine',
    clientSecret: 'secret-of-machine',
    ...more,
  });

describe('a list of authorization servers', () => {
  const dead = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${server.origin}/dead-${String(index)}`);

  it('of 3000, one refusal asks three, and the next refusal three others', async () => {
    const clock = createManualClock();
    server.describe({ resource: { authorization_servers: dead(3000) } });
    const provider = machine({ clock });
    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      const before = server.asked.length;
      await clock.advance(20_000);
      await expect(provider.onChallenge(challenge())).rejects.toMatchObject({
        code: 'AUTH_DISCOVERY_FAILED',
      });
      counts.push(server.asked.length - before);
    }
    for (const count of counts) expect(count).toBeLessThanOrEqual(11);
    const lines = server.asked.map(({ line }) => line);
    const asked = new Set(lines.flatMap((line) => /dead-\d+/.exec(line)?.[0] ?? []));
    expect(asked.size).toBe(9);
  });

  it('the reason that is reported is that of the last ones that were asked', async () => {
    const clock = createManualClock();
    server.describe({ resource: { authorization_servers: dead(4) } });
    server.answers.set('/.well-known/oauth-authorization-server/dead-3', {
      headers: { 'content-type': 'text/html' },
    });
    const provider = machine({ clock });
    const reason = () => provider.onChallenge(challenge()).catch((error: unknown) => String(error));
    expect(await reason()).toContain('None of its authorization servers has metadata.');
    await clock.advance(20_000);
    expect(await reason()).toContain('served OAuth metadata that is not application/json.');
  });

  it('a failed one is asked again after a while, and not before', async () => {
    const clock = createManualClock();
    server.describe({ resource: { authorization_servers: dead(2) } });
    const provider = machine({ clock });
    const count = (): number => server.asked.filter(({ line }) => line.includes('dead-')).length;
    await provider.onChallenge(challenge()).catch(() => undefined);
    const first = count();
    expect(first).toBeGreaterThan(0);
    await clock.advance(30_000);
    await expect(provider.onChallenge(challenge())).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(count()).toBe(first);
    await clock.advance(60_000);
    await provider.onChallenge(challenge()).catch(() => undefined);
    expect(count()).toBe(2 * first);
  });

  it('a usable one behind five dead ones is found at the second refusal, and a sign-in asks them at once', async () => {
    server.describe({ resource: { authorization_servers: [...dead(5), server.origin] } });
    const clock = createManualClock();
    const provider = machine({ clock });
    await provider.onChallenge(challenge()).catch(() => undefined);
    await clock.advance(10_000);
    expect(await provider.onChallenge(challenge())).toBe('retry');
  });

  it.each([
    'javascript:0',
    'nonsense',
    'http://login.example',
    'https://user:secret@login.example',
    'https://login.example?tenant=1',
    'https://login.example#x',
    '//login.example',
  ])('"%s" is left out, and the good one behind it is taken', async (bad) => {
    server.describe({ resource: { authorization_servers: [bad, server.origin] } });
    expect(await person.signIn()).toBe('signed in');
    server.describe({ resource: { authorization_servers: [bad] } });
    const failure = await person.signIn();
    expect(failure).toBeInstanceOf(FittingsError);
    expect(failure).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED', details: { reason: 'issuer' } });
  });

  it('unacceptable metadata does not prevent the next one', async () => {
    server.answers.set('/.well-known/oauth-authorization-server/liar', {
      body: { issuer: 'https://somebody.example', token_endpoint: 'https://somebody.example/token' },
    });
    server.describe({ resource: { authorization_servers: [`${server.origin}/liar`, server.origin] } });
    expect(await person.signIn()).toBe('signed in');
  });
});

describe('the metadata of an issuer is on its own host', () => {
  it.each(['//evil.example/tenant', '/%2f/evil.example', '/\\evil.example'])(
    'https://login.corp%s is asked for at login.corp',
    async (path) => {
      const network = documentsAt({
        'https://mcp.example/.well-known/oauth-protected-resource/api': {
          resource: 'https://mcp.example/api',
          authorization_servers: [`https://login.corp${path}`],
        },
      });
      await person.signIn({ url: REMOTE, clientId: 'c', network });
      const hosts = new Set(network.asked.map(({ url }) => new URL(url).host));
      expect([...hosts]).toEqual(['mcp.example', 'login.corp']);
    },
  );
});

describe('slashes at the end of a path', () => {
  it.each([
    ['', '/.well-known/openid-configuration'],
    ['///', '/.well-known/openid-configuration'],
    ['/tenant///', '/tenant/.well-known/openid-configuration'],
    ['////tenant', '////tenant/.well-known/openid-configuration'],
  ])('are left out of the URLs of the metadata: "%s"', (path, last) => {
    expect(metadataUrls(new URL(`https://as.example${path}`)).at(-1)?.pathname).toBe(last);
  });

  it('are found in linear time, however many are elsewhere', async () => {
    // A pattern that tries every slash takes minutes.
    const path = `${'/'.repeat(400_000)}x`;
    expect(metadataUrls(new URL(`https://as.example${path}`)).at(-1)?.pathname).toContain(
      `${path}/.well-known`,
    );
    const network = documentsAt({
      'https://mcp.example/.well-known/oauth-protected-resource/api': {
        resource: `https://mcp.example${path}`,
      },
    });
    expect(await person.signIn({ url: REMOTE, network })).toMatchObject({ details: { reason: 'resource' } });
  });
});

describe('the resource is the exact URL of the server', () => {
  it.each([
    ['nonsense', () => 'nonsense'],
    ['another origin', () => 'https://evil.example/api'],
    ['a sibling path', (origin: string) => `${origin}/api123`],
    ['a path below', (origin: string) => `${origin}/api/more`],
    ['a parent path', (origin: string) => `${origin}/`],
    ['another query', (origin: string) => `${origin}/api?tenant=other`],
    ['an empty fragment', (origin: string) => `${origin}/api#`],
    ['a user name', (origin: string) => `${origin.replace('//', '//u@')}/api`],
  ])('%s in the metadata of the server itself is refused', async (_, change) => {
    server.describe({ resource: { resource: change(server.origin) } });
    expect(await person.signIn()).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'resource' },
    });
    expect(person.opened).toEqual([]);
  });

  it('the metadata of the parent itself may name the parent', async () => {
    const document = server.documentAt(PATH);
    server.answers.delete(PATH);
    server.answers.set(ROOT, {
      body: { ...document, resource: server.origin },
    });
    expect(await person.signIn()).toBe('signed in');
    expect(person.opened[0]?.searchParams.get('resource')).toBe(server.origin);
  });

  it('a server with a query has its own resource', async () => {
    const url = `${server.origin}/api?tenant=mine`;
    server.describe({ resource: { resource: url } });
    expect(await person.signIn({ url })).toBe('signed in');
    server.describe();
    expect(await person.signIn({ url })).toMatchObject({ details: { reason: 'resource' } });
  });
});

describe('a remote server cannot send the browser to a local address', () => {
  const signInAt = (page: string, url = REMOTE): Promise<unknown> => {
    const token = `${new URL(page).origin}/token`;
    const network = remoteDocuments(
      { authorization_endpoint: page, token_endpoint: token },
      {
        [`${new URL(url).origin}/.well-known/oauth-protected-resource/api`]: {
          resource: url,
          authorization_servers: ['https://login.example'],
        },
        [token]: { access_token: 'a', token_type: 'Bearer' },
      },
    );
    return person.signIn({ url, clientId: 'c', network });
  };

  it.each([
    'http://127.0.0.1:8080/admin',
    'http://localhost:3000/x',
    'https://app.localhost/x',
    'https://localhost./x',
    'http://[::1]:1/x',
    'https://2130706433/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://[64:ff9b::a00:1]/x',
    'https://router.local/x',
  ])('%s is refused before it is opened', async (page) => {
    expect(await signInAt(page)).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'endpoint' },
    });
    expect(person.opened).toEqual([]);
  });

  it('public pages are opened, and local ones of a local server', async () => {
    for (const page of ['https://login.example/x', 'https://8.8.8.8/x', 'https://[2606:4700::1]/x']) {
      expect(await signInAt(page)).toBe('signed in');
    }
    expect(await signInAt('http://127.0.0.1:8080/x', 'http://localhost:1/api')).toBe('signed in');
    expect(await signInAt('https://10.0.0.9/x', 'https://10.0.0.1/api')).toBe('signed in');
    expect(await signInAt('http://127.0.0.1:8080/x', 'https://10.0.0.1/api')).toMatchObject({
      details: { reason: 'endpoint' },
    });
  });

  it('a local page is opened if its address is allowed, and no other', () => {
    const allowAddresses = ['10.1.2.3', '10.9.0.0/16', '[fd00::1]', 'router.local'];
    const check = (host: string): void =>
      checkBrowserTarget('page', `https://${host}/`, {
        serverUrl: new URL(REMOTE),
        allowAddresses,
      });
    for (const host of ['10.1.2.3', '10.9.255.1', '[fd00::1]', 'router.local'])
      expect(() => check(host), host).not.toThrow();
    for (const host of ['10.1.2.4', '10.8.255.255', '[fd00::2]', 'other.local'])
      expect(() => check(host), host).toThrow(expect.objectContaining({ code: 'AUTH_DISCOVERY_FAILED' }));
  });

  it('the same rule applies to the pages of the device grant', async () => {
    const network = remoteDocuments(
      { device_authorization_endpoint: 'https://login.example/device' },
      {
        'https://login.example/device': {
          device_code: 'd',
          user_code: 'u',
          verification_uri: 'http://127.0.0.1:8080/admin',
          expires_in: 100,
        },
      },
    );
    const shown: unknown[] = [];
    const interaction = { kind: 'device', show: (prompt: unknown) => void shown.push(prompt) } as const;
    expect(await person.signIn({ url: REMOTE, clientId: 'c', network, interaction })).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'endpoint' },
    });
    expect(shown).toEqual([]);
  });
});

describe('ignores responses that are not served as JSON', () => {
  const typed = (path: string, type: string): void => {
    const found = server.answers.get(path);
    server.answers.set(path, {
      ...(typeof found === 'object' ? found : {}),
      headers: { 'content-type': type },
    });
  };

  it.each(['text/html', 'text/plain; charset=utf-8', 'application/json-seq', 'text/json', ''])(
    'metadata of the authorization server as "%s" is refused',
    async (type) => {
      typed('/.well-known/oauth-authorization-server', type);
      expect(await person.signIn()).toMatchObject({
        code: 'AUTH_DISCOVERY_FAILED',
        message: expect.stringContaining('application/json'),
      });
    },
  );

  it('metadata of the resource is not there: the legacy place is asked instead', async () => {
    server.describe({ resource: { authorization_servers: [`${server.origin}/tenant`] } });
    typed(PATH, 'text/html');
    expect(await person.signIn()).toBe('signed in');
    expect(server.asked.filter(({ line }) => line.includes('tenant'))).toEqual([]);
  });

  it.each(['/register', '/token'])('what %s answers is refused, and nothing is stored', async (path) => {
    typed(path, 'text/html');
    const store = memoryStore();
    expect(await person.signIn({ store })).toMatchObject({ code: 'AUTH_FAILED' });
    expect(await store.get(`oauth\n${server.url}`)).toBeUndefined();
    expect(person.opened).toHaveLength(path === '/token' ? 1 : 0);
  });

  it('a refusal does not end a sign-in', async () => {
    const store = memoryStore();
    expect(await person.signIn({ store })).toBe('signed in');
    server.answers.set('/token', {
      status: 400,
      headers: { 'content-type': 'text/html' },
      body: { error: 'invalid_grant' },
    });
    const signed = person.provider({ store });
    await signed.onChallenge({ ...challenge(), refused: 'Bearer good' }).catch(() => undefined);
    expect(await store.get(`oauth\n${server.url}`)).toMatchObject({ refreshToken: 'r' });
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/oauth+json'])(
    '"%s" is JSON',
    async (type) => {
      for (const path of [PATH, '/.well-known/oauth-authorization-server', '/register', '/token']) {
        typed(path, type);
      }
      expect(await person.signIn()).toBe('signed in');
    },
  );
});

describe('protected resource metadata without "resource"', () => {
  it.each([undefined, '', 7])('is refused, and the error says so: %j', async (resource) => {
    server.describe({ resource: { resource } });
    expect(await person.signIn()).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      message: `The protected resource metadata at ${server.origin}${PATH} has no "resource".`,
      hint: expect.stringContaining(`"resource": "${server.url}"`),
      details: { reason: 'resource' },
    });
    expect(person.opened).toEqual([]);
  });

  it('is passed over if the next place has a complete document', async () => {
    server.describe({ resource: { resource: undefined } });
    server.answers.set(ROOT, { body: { resource: server.url, authorization_servers: [server.origin] } });
    expect(await person.signIn()).toBe('signed in');
  });

  it.each([{}, { resource_name: 'notes' }])(
    'is not metadata if it names no authorization server either: %j',
    async (body) => {
      server.answers.set(PATH, { body });
      expect(await person.signIn()).toBe('signed in');
    },
  );
});

describe('members of a list that are not strings', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 7],
    ['an object', { issuer: 'https://as.example' }],
  ])(
    'are dropped alone from authorization_servers, scopes_supported and the metadata: %s',
    async (_, wrong) => {
      server.describe({
        resource: {
          authorization_servers: [wrong, server.origin, wrong],
          scopes_supported: ['tools', wrong],
        },
        issuer: {
          code_challenge_methods_supported: [wrong, 'S256'],
          token_endpoint_auth_methods_supported: ['none', wrong],
          scopes_supported: [wrong, 'offline_access'],
        },
      });
      expect(await person.signIn()).toBe('signed in');
      expect(person.opened[0]?.searchParams.get('scope')).toBe('tools offline_access');
      expect(server.asked.map(({ line }) => line)).not.toContain('GET /.well-known/openid-configuration');
    },
  );
});
