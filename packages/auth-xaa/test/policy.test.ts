import { generateKeyPair } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import type { AuthPlugin, AuthProvider } from '@mcp-fittings/client-core';
import { xaa, type XaaProviderOptions } from '@mcp-fittings/auth-xaa';
import { createWorld, SECRET, type World } from './support/world.js';

const noProfile = (metadata: Record<string, unknown>) => ({
  ...metadata,
  authorization_grant_profiles_supported: ['urn:example:other'],
});
const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** Another plugin, and whether it was used. */
function interactive() {
  const provider = {
    headers: vi.fn(async () => ({})),
    onChallenge: vi.fn(async () => 'retry' as const),
    onDpopNonce: vi.fn(),
    signIn: vi.fn(async () => undefined),
    signOut: vi.fn(async () => undefined),
  } satisfies AuthProvider;
  const create = vi.fn((_server: { readonly config: object }) => provider);
  return { provider, create, plugin: { specVersion: 1, scheme: 'other', create } as const };
}

type Options = Pick<
  XaaProviderOptions,
  'allowedAuthorizationServers' | 'unannounced' | 'clientKey' | 'clientMetadataUrl'
> &
  ({ policy?: 'managed-only' } | { policy: 'interactive-fallback'; fallback: AuthPlugin });

function providerOf(world: World, options: Options = {}) {
  const plugin = xaa({
    identityProvider: { issuer: world.idp.origin, clientId: 'host' },
    store: world.store,
    subjectToken: () => ({ type: 'saml2', token: world.idp.saml }),
    ...options,
  });
  const oauth = { xaa: true, clientId: 'mcp-client', clientSecret: SECRET };
  const provider = plugin.create({ name: 'test', config: { url: world.resource.url, oauth } }, {});
  if (provider === undefined) throw new Error('not claimed');
  return provider;
}

describe('policy', () => {
  it('an authorization server that is not on the list gets nothing, and no ID-JAG is requested for it', async () => {
    await using world = await createWorld();
    const provider = providerOf(world, { allowedAuthorizationServers: ['https://as.company.example'] });
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'POLICY_DENIED', kind: 'auth' });
    expect(world.tokenRequests()).toEqual([]);
    const allowed = providerOf(world, { allowedAuthorizationServers: [world.as.origin] });
    expect((await world.useSilently(allowed)).status).toBe(200);
  });

  it('the slash of an empty path makes no other issuer, in the list and at the identity provider', async () => {
    await using world = await createWorld();
    const identity = world.identity({ issuer: `${world.idp.origin}/` });
    const allowedAuthorizationServers = [`${world.as.origin}/`];
    const response = await world.use(world.provider(identity, { allowedAuthorizationServers }));
    expect(response.status).toBe(200);
  });

  it.each(['idp', 'as'] as const)('access denied by %s is final, whatever the policy', async (who) => {
    await using world = await createWorld();
    world[who].policy = () => ({ error: 'access_denied', error_description: 'not in your group' });
    const other = interactive();
    const provider = providerOf(world, { policy: 'interactive-fallback', fallback: other.plugin });
    await expect(world.useSilently(provider)).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      details: { stage: who === 'idp' ? 'identity-provider' : 'authorization-server' },
    });
    expect(other.provider.onChallenge).not.toHaveBeenCalled();
  });

  it('managed-only: does not try another way to sign in', async () => {
    await using world = await createWorld();
    world.as.rewrite.set(WELL_KNOWN, noProfile);
    await expect(world.useSilently(providerOf(world))).rejects.toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
    });
    expect(world.tokenRequests()).toEqual([]);
  });

  it('interactive-fallback: leaves a server without ID-JAG support to the other plugin', async () => {
    await using world = await createWorld();
    world.as.rewrite.set(WELL_KNOWN, noProfile);
    const { provider: other, create, plugin } = interactive();
    const provider = providerOf(world, { policy: 'interactive-fallback', fallback: plugin });
    expect((await world.useSilently(provider)).status).toBe(401);
    expect(other.onChallenge).toHaveBeenCalled();
    const nonce = { url: new URL(world.resource.url), dpopNonce: 'n' };
    provider.onDpopNonce?.(nonce);
    expect(other.onDpopNonce).toHaveBeenCalledWith(nonce);
    expect(create.mock.calls[0]?.[0].config).toMatchObject({ oauth: { clientId: 'mcp-client' } });
    expect(create.mock.calls[0]?.[0].config).not.toHaveProperty('oauth.xaa');
    await provider.signIn?.({});
    expect(other.signIn).toHaveBeenCalled();
    await provider.signOut?.();
    expect(other.signOut).toHaveBeenCalled();
  });

  it('distinguishes a refusal of the identity provider from one of the authorization server', async () => {
    await using world = await createWorld();
    const refusal = { error: 'invalid_target', error_description: 'no' };
    world.idp.policy = () => (world.idp.tokenRequests.length > 0 ? refusal : undefined);
    await expect(world.useSilently(providerOf(world))).rejects.toMatchObject({
      code: 'AUTH_EXCHANGE_FAILED',
      details: { oauthError: 'invalid_target', stage: 'identity-provider' },
    });
    world.idp.policy = () => undefined;
    world.as.policy = () => refusal;
    await expect(world.useSilently(providerOf(world))).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      details: { oauthError: 'invalid_target', stage: 'authorization-server' },
    });
  });

  it('requests an ID-JAG with all scopes, once, when a server demands more', async () => {
    await using world = await createWorld();
    const provider = providerOf(world);
    expect((await world.useSilently(provider)).status).toBe(200);
    world.resource.needs = 'admin';
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(world.idp.tokenRequests.at(-1)?.body.get('scope')).toBe('tools admin');
    world.resource.insatiable = true;
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_SCOPE_INSUFFICIENT' });
  });

  it('does not use the key for servers at the identity provider, or for a client that has a secret', async () => {
    await using world = await createWorld();
    const keys = await generateKeyPair('ES256');
    const provider = providerOf(world, { clientKey: { key: keys.privateKey } });
    expect((await world.useSilently(provider)).status).toBe(200);
    const bodies = [...world.idp.tokenRequests, ...world.as.tokenRequests].map(({ body }) => body);
    expect(bodies.filter((body) => body.has('client_assertion'))).toEqual([]);
  });
});
