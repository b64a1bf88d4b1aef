/** An issuer of access tokens for the people who use the gateways: metadata, keys, and a function that signs. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const { subtle } = globalThis.crypto;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

export async function startIssuer() {
  const { privateKey, publicKey } = await subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const key = { ...(await subtle.exportKey('jwk', publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    const documents = {
      '/.well-known/oauth-authorization-server': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [key] },
    };
    const document = documents[request.url];
    if (document === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;

  return {
    issuer,
    /** @returns an access token of a person for a resource */
    async sign(person, resource, { scope = 'all', lifeS = 3600 } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        sub: person,
        aud: resource,
        client_id: 'bench',
        scope,
        jti: randomUUID(),
      };
      const parts = [
        { alg: 'ES256', typ: 'at+jwt', kid: 'one' },
        { ...claims, iat: now, exp: now + lifeS },
      ];
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      const signature = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, Buffer.from(text));
      return `${text}.${Buffer.from(signature).toString('base64url')}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
