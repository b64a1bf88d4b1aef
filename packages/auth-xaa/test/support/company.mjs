/** A company on loopback: an identity provider that issues ID-JAGs, and authorization servers that accept them. */
import { randomBytes } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { serveProvider } from '../../../auth-oauth/test/support/provider-server.mjs';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TYPE = 'urn:ietf:params:oauth:token-type:';

const common = {
  cookies: { keys: [randomBytes(16).toString('hex')] },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  pkce: { required: () => true },
};
const ttl = { Grant: 864_000, Session: 600, Interaction: 600, AccessToken: 3600, ClientCredentials: 3600 };

/** Generating an RSA key takes longer than most tests. */
let signingKeys;

export async function startIdentityProvider({ clients }) {
  signingKeys ??= generateKeyPair('RS256', { extractable: true });
  const { privateKey, publicKey } = await signingKeys;
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'key-1' };
  const idp = await serveProvider(() => ({
    ...common,
    clients: clients.map((client) => ({
      redirect_uris: ['http://127.0.0.1/callback'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      ...client,
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    })),
    jwks: { keys: [key] },
    scopes: ['openid', 'offline_access'],
    acrValues: ['urn:company:mfa'],
    rotateRefreshToken: true,
    ttl: { ...ttl, IdToken: 3600, RefreshToken: 864_000 },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    discovery: { identity_chaining_requested_token_types_supported: [`${TYPE}id-jag`] },
  }));
  Object.assign(idp, {
    privateKey,
    publicKey,
    /** The client id of this client at an authorization server. */
    clientAt: () => 'mcp-client',
    policy: () => undefined,
    claims: (claims) => claims,
    reply: (reply) => reply,
    saml: 'c2FtbC1hc3NlcnRpb24',
    assertions: [],
  });

  const accountOf = async (params, client) => {
    const { subject_token: token, subject_token_type: type } = params;
    if (type === `${TYPE}saml2`) return token === idp.saml ? 'person' : undefined;
    if (type === `${TYPE}refresh_token`) {
      const found = await idp.provider.RefreshToken.find(token);
      return found?.clientId === client.clientId && found.isValid ? found.accountId : undefined;
    }
    const checks = { issuer: idp.origin, audience: client.clientId };
    const { payload } = await jwtVerify(token, publicKey, checks).catch(() => ({ payload: {} }));
    return payload.sub;
  };
  const refreshTokenFor = async (client, accountId) => {
    const grant = new idp.provider.Grant({ clientId: client.clientId, accountId });
    grant.addOIDCScope('openid offline_access');
    const grantId = await grant.save();
    const fields = { accountId, client, grantId, scope: 'openid offline_access', gty: 'authorization_code' };
    return new idp.provider.RefreshToken(fields).save();
  };

  const grant = async (ctx) => {
    const { params, client } = ctx.oidc;
    const account = await accountOf(params, client);
    const refusal = account === undefined ? { error: 'invalid_grant' } : idp.policy(params);
    if (refusal !== undefined) {
      ctx.status = 400;
      ctx.body = refusal;
    } else if (params.requested_token_type === `${TYPE}refresh_token`) {
      ctx.body = {
        access_token: await refreshTokenFor(client, account),
        issued_token_type: `${TYPE}refresh_token`,
        token_type: 'N_A',
      };
    } else {
      const { audience, resource, scope } = params;
      const claims = idp.claims({
        iss: idp.origin,
        sub: account,
        aud: audience,
        client_id: idp.clientAt(audience),
        resource,
        scope,
        jti: randomBytes(8).toString('hex'),
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 300,
      });
      const header = { alg: 'RS256', typ: 'oauth-id-jag+jwt', kid: 'key-1' };
      const assertion = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      idp.assertions.push(assertion);
      ctx.body = idp.reply({
        access_token: assertion,
        issued_token_type: `${TYPE}id-jag`,
        token_type: 'N_A',
        expires_in: 300,
        ...(scope !== undefined && { scope }),
      });
    }
  };
  const parameters = [
    'audience',
    'resource',
    'scope',
    'subject_token',
    'subject_token_type',
    'requested_token_type',
  ];
  idp.provider.registerGrantType(TOKEN_EXCHANGE, grant, parameters);
  return idp;
}

export async function startAuthorizationServer(options) {
  const { idp, singleUse = true, clients, documents = {} } = options;
  const as = await serveProvider(() => ({
    ...common,
    clients: clients.map((client) => ({
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic',
      ...client,
      grant_types: [JWT_BEARER],
    })),
    scopes: ['tools', 'admin'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    ttl,
    fetch: async (url) => {
      const document = documents[String(url)];
      return document === undefined ? new Response('', { status: 404 }) : Response.json(document);
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    },
    discovery: {
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    },
  }));
  const seen = new Set();
  const accounts = new Map();
  Object.assign(as, {
    policy: () => undefined,
    scope: (scope) => scope,
    assertions: [],
    async find(value) {
      const token = await as.provider.ClientCredentials.find(value);
      if (token === undefined || token.isExpired) return undefined;
      return { scope: token.scope ?? '', accountId: accounts.get(value) };
    },
  });

  const problemOf = async ({ assertion, resource }, client) => {
    const checks = { issuer: idp.origin, audience: as.origin, typ: 'oauth-id-jag+jwt' };
    const verified = await jwtVerify(assertion, idp.publicKey, checks).catch((error) => ({ error }));
    if (verified.error !== undefined) return verified.error.message;
    const { jti, client_id: clientId, resource: bound } = verified.payload;
    if (clientId !== client.clientId) return 'another client';
    if (bound !== resource) return 'another resource';
    if (singleUse && seen.has(jti)) return 'used before';
    seen.add(jti);
    return undefined;
  };
  const grant = async (ctx) => {
    const { params, client } = ctx.oidc;
    as.assertions.push(params.assertion);
    const problem = await problemOf(params, client);
    const refusal =
      problem === undefined ? as.policy(params) : { error: 'invalid_grant', error_description: problem };
    if (refusal !== undefined) {
      ctx.status = 400;
      ctx.body = refusal;
      return;
    }
    const scope = as.scope(params.scope ?? 'tools');
    const token = new as.provider.ClientCredentials({ client, scope });
    const value = await token.save();
    accounts.set(value, decodeJwt(params.assertion).sub);
    ctx.body = {
      access_token: value,
      token_type: 'Bearer',
      expires_in: token.expiration,
      scope,
    };
  };
  as.provider.registerGrantType(JWT_BEARER, grant, ['assertion', 'scope', 'resource']);
  return as;
}
