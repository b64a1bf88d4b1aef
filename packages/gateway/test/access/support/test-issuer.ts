import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** An issuer on loopback that signs what a test wants, and counts how often it is asked. */
export interface TestIssuer extends AsyncDisposable {
  readonly origin: string;
  /** Paths of the requests. */
  readonly requests: string[];
  /** Status of all responses; undefined for the documents. */
  status: number | undefined;
  /** Sent instead of the key set. */
  keySet: string | undefined;
  /** `Location` of a redirect instead of the key set. */
  redirect: string | undefined;
  /** Replaces the key with a new one. */
  rotate(): void;
  /** Signs a valid access token, with these members replaced; undefined leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string;
  readonly key: { readonly private: KeyObject; readonly public: KeyObject };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** `aud` of its tokens by default, and `now` in milliseconds. */
export async function startTestIssuer(options: {
  readonly resource: string;
  readonly now: () => number;
}): Promise<TestIssuer> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  let number = 0;
  const newKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { kid: `key-${++number}`, private: privateKey, public: publicKey };
  };
  let key = newKey();
  let count = 0;
  const issuer: TestIssuer = {
    origin,
    requests: [],
    status: undefined,
    keySet: undefined,
    redirect: undefined,
    rotate: () => void (key = newKey()),
    get key() {
      return key;
    },
    token(claims = {}, header = {}) {
      const now = Math.floor(options.now() / 1000);
      const times = { iat: now, exp: now + 300 };
      const who = { iss: origin, sub: 'ann', aud: options.resource, client_id: 'c', jti: `t-${++count}` };
      const input = [
        { alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header },
        { ...who, ...times, ...claims },
      ]
        .map(encode)
        .join('.');
      const signature = sign('sha256', Buffer.from(input), { key: key.private, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
  http.on('request', (request, response) => {
    const path = request.url ?? '';
    issuer.requests.push(path);
    const json = (body: unknown): void => {
      response.setHeader('content-type', 'application/json');
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (issuer.status !== undefined) return void response.writeHead(issuer.status).end();
    if (path === '/.well-known/oauth-authorization-server')
      return json({ issuer: origin, jwks_uri: `${origin}/keys` });
    if (path !== '/keys' && path !== '/elsewhere') return void response.writeHead(404).end();
    if (path === '/keys' && issuer.redirect !== undefined) {
      return void response.writeHead(302, { location: issuer.redirect }).end();
    }
    const jwk = key.public.export({ format: 'jwk' });
    json(issuer.keySet ?? { keys: [{ ...jwk, kid: key.kid, use: 'sig', alg: 'ES256' }] });
  });
  return issuer;
}

/** A DPoP key, and proofs that it signs. */
export function createProofs() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const { crv, kty, x, y } = jwk;
  return {
    jkt: createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'),
    proof(claims: {
      readonly htu: string;
      readonly token: string;
      readonly now: number;
      readonly htm?: string;
    }): string {
      const { htu, token, now, htm = 'POST' } = claims;
      const ath = createHash('sha256').update(token).digest('base64url');
      const input = [
        { alg: 'ES256', typ: 'dpop+jwt', jwk },
        { jti: randomUUID(), htm, htu, ath, iat: Math.floor(now / 1000) },
      ]
        .map(encode)
        .join('.');
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}
