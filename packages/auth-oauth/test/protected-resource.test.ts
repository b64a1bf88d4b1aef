import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import { scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

const PATH = '/.well-known/oauth-protected-resource/api';
const ROOT = '/.well-known/oauth-protected-resource';

let server: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(() => server[Symbol.asyncDispose]());

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
