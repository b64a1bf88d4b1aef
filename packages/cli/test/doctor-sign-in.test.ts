import { oauth } from '@mcp-fittings/auth-oauth';
import { type AuthPlugin, type Clock, FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scripted } from '../../auth-oauth/test/support/world.js';
import { codesOf, diagnoseEntry, identityOf } from './support/diagnose-server.js';
import { always, plant, type Planted } from './support/planted-server.js';
import { startProtectedServer, type ProtectedServer } from './support/protected-server.js';
import { findingFromError } from '../src/doctor/error-findings.js';

describe('signing in to a real authorization server', () => {
  let server: ProtectedServer;
  let store: TokenStore;
  beforeEach(async () => {
    server = await startProtectedServer();
    store = memoryStore();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const signIn = async (): Promise<void> => {
    const interaction = scripted();
    const entry = {
      name: 'planted',
      config: { url: server.url },
      identity: await identityOf({ url: server.url }),
    };
    await oauth({ store, clientName: 'x', interaction }).create(entry, {})?.signIn?.({});
  };
  const later = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms });
  const tokenCheck = async (clock?: Clock) => {
    const diagnosis = await diagnoseEntry(
      { url: server.url },
      { store, ...(clock !== undefined && { clock }) },
    );
    for (const token of server.shown) expect(JSON.stringify(diagnosis)).not.toContain(token);
    return diagnosis;
  };

  it('before a sign-in: discovery passes, the token is missing', async () => {
    const diagnosis = await tokenCheck();
    expect(codesOf(diagnosis)).toEqual(['token SIGN_IN_REQUIRED']);
    expect(diagnosis.findings[0]?.fix).toContain('fittings login planted');
    const discovery = diagnosis.checks.find(({ check }) => check === 'discovery');
    expect(discovery).toMatchObject({ outcome: 'passed' });
    expect(discovery?.summary).toContain(server.authorizationServer.origin);
  });

  it('signed in: the age of the token, and how long it is good', async () => {
    await signIn();
    const diagnosis = await tokenCheck();
    expect(codesOf(diagnosis)).toEqual([]);
    const token = diagnosis.checks.find(({ check }) => check === 'token');
    expect(token?.summary).toMatch(/^obtained \d+ s ago, valid for \d+ min$/);
  });

  it('an expired token that can be refreshed is not a problem', async () => {
    await signIn();
    // The clock is wrong by as much, which is said too.
    expect(codesOf(await tokenCheck(later(2 * 3_600_000)))).toEqual(['clock CLOCK_WRONG']);
    const grants = server.authorizationServer.tokenRequests.map(({ grant }) => grant);
    expect(grants).toContain('refresh_token');
  });

  it('a token that has expired and cannot be refreshed', async () => {
    await signIn();
    server.authorizationServer.fault = { path: '/token', status: 400, body: '{"error":"invalid_grant"}' };
    const diagnosis = await tokenCheck(later(2 * 3_600_000));
    expect(codesOf(diagnosis)).toEqual(['clock CLOCK_WRONG', 'token TOKEN_EXPIRED']);
    expect(diagnosis.findings[1]?.message).toContain('there is no refresh token');
  });

  it('a token that is good by its date and refused', async () => {
    await signIn();
    server.authorizationServer.fault = { path: '/token', status: 400, body: '{"error":"invalid_grant"}' };
    server.refuseAll();
    expect(codesOf(await tokenCheck())).toEqual(['token TOKEN_REFUSED']);
  });

  it('a store that cannot be read', async () => {
    const locked = (): Promise<never> =>
      Promise.reject(new FittingsError('STORE_LOCKED', 'The keychain is locked.', { hint: 'Unlock it.' }));
    store = { get: locked, set: locked, delete: locked, withLock: locked };
    const diagnosis = await tokenCheck();
    expect(codesOf(diagnosis)).toEqual(['token STORE_UNUSABLE']);
    expect(diagnosis.findings[0]?.fix).toBe('Unlock it.');
  });
});

describe('a server that wants no sign-in', () => {
  it('works although the store does not, which is said', async () => {
    await using open = await plant();
    const away = (): Promise<never> =>
      Promise.reject(new FittingsError('STORE_UNAVAILABLE', 'There is no keychain.'));
    const store = { get: away, set: away, delete: away, withLock: away };
    const tolerant = { ...store, get: async () => undefined };
    const diagnosis = await diagnoseEntry(
      { url: open.url },
      { store, auth: async () => [oauth({ store: tolerant, clientName: 'x' })] },
    );
    expect(codesOf(diagnosis)).toEqual(['token STORE_UNUSABLE']);
    expect(diagnosis).toMatchObject({ healthy: true, findings: [{ severity: 'warning' }] });
  });

  it('with another scheme than OAuth, nothing is said of its tokens', async () => {
    await using closed = await plant(always(401, 'no', { 'www-authenticate': 'Bearer' }));
    const refusal = new FittingsError('AUTH_FAILED', 'The identity provider does not know you.');
    const other: AuthPlugin = {
      specVersion: 1,
      scheme: 'other',
      create: () => ({ headers: async () => ({}), onChallenge: () => Promise.reject(refusal) }),
    };
    const diagnosis = await diagnoseEntry({ url: closed.url }, { auth: async () => [other] });
    expect(codesOf(diagnosis)).toEqual(['token TOKEN_REFUSED']);
    expect(diagnosis.findings[0]?.message).toContain('identity provider');
  });
});

describe('documents that are missing or contradict each other', () => {
  const PRM = '/.well-known/oauth-protected-resource';
  const AS = '/.well-known/oauth-authorization-server';
  let planted: Planted;
  let documents: Record<string, unknown>;

  beforeEach(async () => {
    documents = {};
    planted = await plant((request, response) => {
      request.resume();
      const document = documents[request.url ?? ''];
      if (document !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      } else if (request.url === '/mcp') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else response.writeHead(404).end();
    });
  });
  afterEach(() => planted[Symbol.asyncDispose]());

  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${planted.origin}/authorize`,
    token_endpoint: `${planted.origin}/token`,
    code_challenge_methods_supported: ['S256'],
  });
  const diagnosis = () => diagnoseEntry({ url: planted.url });

  it('401 without discovery', async () => {
    const found = await diagnosis();
    expect(codesOf(found)).toEqual(['discovery DISCOVERY_MISSING']);
    expect(found.findings[0]?.fix).toContain('apiKey');
  });

  it('an older server, whose own origin says where to sign in, lacks nothing', async () => {
    documents[AS] = metadata(planted.origin);
    expect(codesOf(await diagnosis())).toEqual(['token SIGN_IN_REQUIRED']);
  });

  it('an authorization server that calls itself something else', async () => {
    documents[`${PRM}/mcp`] = { resource: planted.url, authorization_servers: [planted.origin] };
    documents[AS] = metadata('https://login.example');
    const found = await diagnosis();
    expect(codesOf(found)).toEqual(['discovery ISSUER_MISMATCH']);
    expect(found.findings[0]?.message).toContain('https://login.example');
    expect(JSON.stringify(found)).not.toContain('fittings login');
  });

  it('metadata that speaks for another resource', async () => {
    documents[`${PRM}/mcp`] = {
      resource: 'https://other.example/mcp',
      authorization_servers: [planted.origin],
    };
    const found = await diagnosis();
    expect(codesOf(found)).toEqual(['discovery RESOURCE_MISMATCH']);
    expect(found.findings[0]?.message).toContain('https://other.example/mcp');
  });

  it('an authorization server that is not there', async () => {
    await using gone = await plant(always(200, ''));
    const issuer = gone.origin;
    await gone[Symbol.asyncDispose]();
    documents[`${PRM}/mcp`] = { resource: planted.url, authorization_servers: [issuer] };
    expect(codesOf(await diagnosis())[0]).toBe('discovery CONNECTION_REFUSED');
  });

  it('an endpoint that no browser may be sent to', async () => {
    documents[`${PRM}/mcp`] = { resource: planted.url, authorization_servers: [planted.origin] };
    documents[AS] = { ...metadata(planted.origin), authorization_endpoint: 'javascript:alert(1)' };
    expect(codesOf(await diagnosis())[0]).toBe('discovery DISCOVERY_FAILED');
  });
});

it.each([
  [
    'AUTH_FAILED',
    'Run "gcloud auth application-default login".',
    'Run "gcloud auth application-default login".',
  ],
  ['AUTH_REQUIRED', 'Call host.signIn().', 'Sign in: fittings login s'],
  ['AUTH_REJECTED', 'Check the configured credentials, or sign in.', 'Correct `headers` or `apiKey`.'],
] as const)('the fix of %s with the hint %j', (code, hint, fix) => {
  const { finding } = findingFromError(new FittingsError(code, 'x', { server: 's', hint }));
  expect(finding.fix).toBe(fix);
});
