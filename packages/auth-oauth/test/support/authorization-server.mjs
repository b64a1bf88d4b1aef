/** A real authorization server (`oidc-provider`) on loopback, and a person who signs in to it without a browser. */
import { randomBytes } from 'node:crypto';
import { serveProvider } from './provider-server.mjs';

const WORKLOAD_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export async function startAuthorizationServer(options) {
  const { resource, accessTokenTtl = 3600, scopes = ['tools', 'admin'], clients = [] } = options;
  const configure = ({ errors }) => ({
    clients: clients.map((client) =>
      options.workload === undefined
        ? client
        : { ...client, grant_types: [...client.grant_types, WORKLOAD_GRANT] },
    ),
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    pkce: { required: () => true },
    // Pages of any origin may ask for tokens.
    clientBasedCORS: () => true,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: accessTokenTtl,
      ClientCredentials: accessTokenTtl,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 600,
      Interaction: 600,
      DeviceCode: 600,
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: {
        enabled: true,
        requirePushedAuthorizationRequests: options.pushedOnly === true,
      },
      dPoP: {
        enabled: true,
        ...(options.dpopNonce && { nonceSecret: randomBytes(32), requireNonce: () => true }),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource(),
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, indicator) {
          if (!indicator.startsWith(resource().replace(/\/$/, ''))) throw new errors.InvalidTarget();
          return {
            scope: scopes.join(' '),
            audience: indicator,
            accessTokenTTL: accessTokenTtl,
            accessTokenFormat: 'opaque',
          };
        },
      },
    },
  });
  const result = await serveProvider(configure);
  const { provider, errors } = result;
  // A minimal RFC 7523: one assertion is valid.
  if (options.workload !== undefined) {
    const grant = async (ctx) => {
      const { params, client } = ctx.oidc;
      if (params.assertion !== options.workload) throw new errors.InvalidGrant('not this one');
      const token = new provider.ClientCredentials({ client, scope: scopes.join(' ') });
      const value = await token.save();
      ctx.body = { access_token: value, token_type: 'Bearer', expires_in: token.expiration };
    };
    provider.registerGrantType(WORKLOAD_GRANT, grant, ['assertion', 'scope', 'resource']);
  }
  result.find = async (value) => {
    const token = (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value));
    if (token === undefined || token.isExpired) return undefined;
    return { scope: token.scope ?? '', accountId: token.accountId, jkt: token.jkt };
  };
  return result;
}

export async function scriptedPerson(start, login = 'person') {
  const { origin } = new URL(start);
  const cookies = new Map();
  let url = new URL(start);
  let init = {};
  for (let hop = 0; hop < 25; hop++) {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        ...init.headers,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, ...value] = cookie.split(';')[0].split('=');
      if (value.join('=') === '') cookies.delete(name);
      else cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.origin !== origin) return { location: url.href, html: '' };
      init = {};
      continue;
    }
    const html = await response.text();
    const form = /<form[^>]*action="([^"]+)"[\s\S]*?<\/form>/.exec(html);
    if (form === null || response.status >= 400) return { location: undefined, html };
    const fields = new URLSearchParams();
    for (const [input] of form[0].matchAll(/<input[^>]*>/g)) {
      const name = /name="([^"]+)"/.exec(input)?.[1];
      if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? 'person');
    }
    if (fields.has('login')) fields.set('login', login);
    if (fields.has('password')) fields.set('password', 'word');
    url = new URL(form[1].replaceAll('&amp;', '&'), url);
    init = {
      method: 'POST',
      body: fields.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
  }
  throw new Error('The authorization server sends the person in circles.');
}
