/** An authorization server (`oidc-provider`) with the grant of RFC 8693: it exchanges its JWTs of people for JWTs of servers. */
import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { serveProvider } from './provider-server.mjs';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

export async function startExchangeServer({ audience, targets, now = Date.now, lifetime = 300 }) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'key-1' };
  const as = await serveProvider(() => ({
    clients: [
      {
        client_id: 'gateway',
        client_secret: 'canary-gateway-secret',
        id_token_signed_response_alg: 'ES256',
        grant_types: [GRANT],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [key] },
    scopes: ['openid', 'tools', 'admin'],
    features: { devInteractions: { enabled: false } },
  }));
  const { errors } = as;
  as.refuseWith = undefined;

  const sign = (claims) =>
    new SignJWT({ iss: as.origin, jti: randomUUID(), client_id: 'program', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1' })
      .setIssuedAt(Math.floor(now() / 1000))
      .sign(privateKey);
  const inSeconds = (seconds) => Math.floor(now() / 1000) + seconds;
  as.tokenOf = (sub, claims = {}) =>
    sign({ sub, aud: audience(), scope: 'tools admin', exp: inSeconds(lifetime), ...claims });

  const verify = async (token, aud) => {
    const options = { issuer: as.origin, audience: aud, typ: 'at+jwt', currentDate: new Date(now()) };
    return (await jwtVerify(token, publicKey, options)).payload;
  };
  const valid = (token, type) => {
    if (type !== ACCESS_TOKEN) throw new errors.InvalidRequest('not an access token');
    return verify(token, audience()).catch((error) => {
      throw new errors.InvalidGrant(error.message);
    });
  };
  /** Thumbprint of the key that the new token is bound to. */
  const keyOf = async (proof) => {
    if (proof === '') return undefined;
    const { protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' });
    return calculateJwkThumbprint(protectedHeader.jwk);
  };
  const refuse = (error, error_description) => ({ error, error_description });

  // The client has been authenticated before.
  const grant = async (ctx) => {
    const { params, client } = ctx.oidc;
    const { resource, scope = 'tools', actor_token: actorToken } = params;
    const subject = await valid(params.subject_token, params.subject_token_type);
    const actor = actorToken && (await valid(actorToken, params.actor_token_type));
    const target = targets().find((each) => each === resource) ?? as.names?.get(params.audience);
    const refusal =
      as.refuseWith?.(params) ??
      (target === undefined
        ? refuse('invalid_target', 'no such service')
        : scope.split(' ').every((each) => String(subject.scope).split(' ').includes(each))
          ? undefined
          : refuse('invalid_scope', 'the subject token has fewer scopes'));
    if (refusal !== undefined) {
      ctx.status = 400;
      ctx.body = refusal;
      return;
    }
    const jkt = await keyOf(ctx.get('dpop'));
    const act = { sub: actor?.sub ?? client.clientId, ...(subject.act && { act: subject.act }) };
    ctx.body = {
      access_token: await sign({
        sub: subject.sub,
        aud: target,
        client_id: client.clientId,
        scope,
        act,
        ...(jkt && { cnf: { jkt } }),
        exp: inSeconds(lifetime),
      }),
      issued_token_type: ACCESS_TOKEN,
      token_type: jkt ? 'DPoP' : 'Bearer',
      expires_in: lifetime,
      scope,
    };
  };
  const parameters = [
    'audience',
    'resource',
    'scope',
    'subject_token',
    'subject_token_type',
    'actor_token',
    'actor_token_type',
    'requested_token_type',
  ];
  as.provider.registerGrantType(GRANT, grant, parameters);
  as.read = (token) => verify(token, targets()).catch(() => undefined);
  as.find = async (token) => {
    const claims = await as.read(token);
    return claims && { scope: claims.scope, accountId: claims.sub, jkt: claims.cnf?.jkt };
  };
  return as;
}
