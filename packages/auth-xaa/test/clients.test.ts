import { webcrypto } from 'node:crypto';
import { decodeJwt, exportJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import type { IdentityProviderOptions, XaaProviderOptions } from '@mcp-fittings/auth-xaa';
import { startFalseServer } from '../../auth-oauth/test/support/false-server.js';
import { createWorld, type WorldOptions } from './support/world.js';

const { subtle } = webcrypto;
const keys = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
const clientKey = { key: keys.privateKey, kid: 'k1' };

/** Percent and plus reveal whether both halves of Basic are encoded as RFC 6749 requires. */
const IDP_SECRET = 'canary % + : secret of the host';

describe('client authentication at the identity provider', () => {
  it.each<[string, object, Partial<IdentityProviderOptions>]>([
    ['none', {}, {}],
    ['client_secret_basic', { client_secret: IDP_SECRET }, { clientSecret: IDP_SECRET }],
    [
      'client_secret_post',
      { client_secret: IDP_SECRET },
      { clientSecret: IDP_SECRET, clientAuthMethod: 'client_secret_post' },
    ],
    ['private_key_jwt', { jwks }, { clientKey }],
  ])('%s', async (method, client, options) => {
    await using world = await createWorld({
      idp: { clients: [{ client_id: 'host', token_endpoint_auth_method: method, ...client }] },
    });
    expect((await world.use(world.provider(world.identity(options)))).status).toBe(200);
    const [, exchange] = world.idp.tokenRequests;
    const sent = {
      client_secret_basic: exchange?.headers['authorization']?.includes('Basic') === true,
      client_secret_post: exchange?.body.get('client_secret') === IDP_SECRET,
      private_key_jwt: exchange?.body.has('client_assertion') === true,
    };
    expect(
      Object.entries(sent)
        .filter(([, is]) => is)
        .map(([name]) => name),
    ).toEqual(method === 'none' ? [] : [method]);
  });
});

const DOCUMENT = 'https://host.example/client.json';
const document = {
  client_id: DOCUMENT,
  client_name: 'tests',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
  response_types: [],
};

describe('client identity at the authorization server', () => {
  it.each<[string, WorldOptions['as'], Partial<XaaProviderOptions>, string]>([
    [
      'client_secret_post',
      {
        clients: [
          { client_id: 'mcp-client', client_secret: 's', token_endpoint_auth_method: 'client_secret_post' },
        ],
      },
      { clientSecret: 's' },
      'mcp-client',
    ],
    [
      'private_key_jwt',
      { clients: [{ client_id: 'mcp-client', jwks, token_endpoint_auth_method: 'private_key_jwt' }] },
      { clientSecret: undefined, clientKey },
      'mcp-client',
    ],
    [
      'a public client',
      { clients: [{ client_id: 'mcp-client', token_endpoint_auth_method: 'none' }] },
      { clientSecret: undefined },
      'mcp-client',
    ],
    [
      'a metadata document (CIMD)',
      { clients: [], documents: { [DOCUMENT]: { ...document, token_endpoint_auth_method: 'none' } } },
      { clientId: undefined, clientSecret: undefined, clientMetadataUrl: DOCUMENT },
      DOCUMENT,
    ],
    [
      'a metadata document with a key',
      {
        clients: [],
        documents: { [DOCUMENT]: { ...document, token_endpoint_auth_method: 'private_key_jwt', jwks } },
      },
      { clientId: undefined, clientSecret: undefined, clientMetadataUrl: DOCUMENT, clientKey },
      DOCUMENT,
    ],
  ])('%s', async (_, as, options, id) => {
    await using world = await createWorld({ as: { ...as } });
    world.idp.clientAt = () => id;
    if (options.clientMetadataUrl !== undefined) {
      world.as.rewrite.set('/.well-known/oauth-authorization-server', (metadata) => ({
        ...metadata,
        client_id_metadata_document_supported: true,
      }));
    }
    expect((await world.use(world.provider(world.identity(), options))).status).toBe(200);
  });

  it('says what to do without a client id', async () => {
    await using world = await createWorld({ as: { clients: [] } });
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity, { clientId: undefined, clientSecret: undefined });
    await expect(world.useSilently(provider)).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      hint: expect.stringContaining('oauth.clientId'),
    });
  });

  it('does not send a client id to another authorization server', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity, { clientIssuer: 'https://as.example' });
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(world.as.tokenRequests).toEqual([]);
  });
});

describe('DPoP', () => {
  it('binds the token to a key for a server that requires it', async () => {
    await using world = await createWorld();
    await using server = await startFalseServer();
    server.describe({
      resource: { dpop_bound_access_tokens_required: true },
      issuer: { dpop_signing_alg_values_supported: ['ES256'] },
    });
    server.answers.set('/token', { body: { access_token: 'bound', token_type: 'DPoP', expires_in: 3600 } });
    server.answers.set('/api', () =>
      server.asked.at(-1)?.authorization === 'DPoP bound'
        ? { status: 200 }
        : { status: 401, headers: { 'www-authenticate': 'DPoP' } },
    );
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity, { url: server.url });
    expect((await world.useSilently(provider, server.url)).status).toBe(200);
    const redemption = server.asked.find(({ line }) => line === 'POST /token');
    expect(new URLSearchParams(redemption?.body).get('assertion')).toBe(world.idp.assertions[0]);
    const url = new URL(server.url);
    const headers = await provider.headers({ url, method: 'POST' });
    expect(headers['dpop']).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    provider.onDpopNonce?.({ url, dpopNonce: 'newest' });
    const { dpop } = await provider.headers({ url, method: 'POST' });
    expect(decodeJwt(dpop ?? '')).toMatchObject({ nonce: 'newest' });
  });
});
