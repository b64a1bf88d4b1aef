import { createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Google's metadata server, token endpoint and IAM Credentials API on loopback, with the replies that Google documents.
 * @see https://cloud.google.com/compute/docs/metadata/predefined-metadata-keys
 * @see https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts
 */
export interface GoogleStandIn extends AsyncDisposable {
  readonly origin: string;
  readonly host: string;
  /** `METHOD /path?query`, with what was posted. */
  readonly requests: { readonly line: string; readonly body: string }[];
  /** Every valid token that was issued. */
  readonly alive: Map<string, { readonly audience?: string; readonly scopes?: string }>;
  /** Lifetime of a token in seconds. */
  lifetime: number;
  /** Answers instead, once for each element. */
  readonly faults: { readonly status: number; readonly body: string }[];
  /** Never answers. */
  silent: boolean;
  /** Returns the same token again, as the metadata server does until five minutes before it expires. */
  caches: boolean;
  /** Credentials file of a service account that this stand-in knows. */
  readonly keyFile: Record<string, unknown>;
  /** Credentials file of a person, as gcloud writes it. */
  readonly userFile: Record<string, unknown>;
  /** Credentials file of a person who acts as {@link ROBOT}: `gcloud auth application-default login --impersonate…`. */
  readonly impersonationFile: Record<string, unknown>;
  /** Credentials file of a federated workload, whose own token is in a file. */
  federationFile(tokenFile: string): Record<string, unknown>;
}

export const CANARIES = {
  refresh: 'canary-refresh-token',
  secret: 'canary-client-secret',
  workload: 'ca.na.ry',
} as const;
export const ROBOT = 'robot@project.iam.gserviceaccount.com';

/** Created once: it takes longer than a test. */
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startGoogle(): Promise<GoogleStandIn> {
  const http = createServer((request, response) => void serve(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const host = `127.0.0.1:${String(address.port)}`;
  let cached: string | undefined;

  const google: GoogleStandIn = {
    origin: `http://${host}`,
    host,
    requests: [],
    alive: new Map(),
    lifetime: 3600,
    faults: [],
    silent: false,
    caches: false,
    keyFile: {
      type: 'service_account',
      client_email: ROBOT,
      private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'key-1',
    },
    userFile: {
      type: 'authorized_user',
      client_id: '764086051850-test.apps.googleusercontent.com',
      client_secret: CANARIES.secret,
      refresh_token: CANARIES.refresh,
      quota_project_id: 'my-project',
    },
    get impersonationFile() {
      const account = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${ROBOT}`;
      return {
        type: 'impersonated_service_account',
        service_account_impersonation_url: `${account}:generateAccessToken`,
        source_credentials: google.userFile,
      };
    },
    federationFile: (file) => ({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/ci',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      credential_source: { file },
    }),
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };

  const accessToken = (scopes: string): string => {
    if (google.caches && cached !== undefined) return cached;
    cached = `ya29.${randomUUID()}`;
    google.alive.set(cached, { scopes });
    return cached;
  };
  const idToken = (audience: string): string => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const claims = { aud: audience, exp: now + google.lifetime, iat: now, jti: randomUUID() };
    const token = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${part('signature')}`;
    google.alive.set(token, { audience });
    return token;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    google.requests.push({ line: `${request.method ?? ''} ${request.url ?? ''}`, body });
    if (google.silent) return;
    const url = new URL(request.url ?? '', google.origin);
    const fault = url.pathname === '/computeMetadata/v1/instance' ? undefined : google.faults.shift();
    const answer = fault ?? reply(url, request, body);
    const type = answer.body.startsWith('{') ? 'application/json; charset=UTF-8' : 'text/html';
    response
      .writeHead(answer.status, { 'content-type': type, 'metadata-flavor': 'Google', server: 'stand-in' })
      .end(answer.body);
  }

  function reply(url: URL, request: IncomingMessage, body: string): { status: number; body: string } {
    const json = (value: unknown, status = 200) => ({ status, body: JSON.stringify(value) });
    const { pathname, searchParams } = url;
    if (pathname.startsWith('/computeMetadata/v1/')) {
      if (request.headers['metadata-flavor'] !== 'Google') return { status: 403, body: 'Forbidden' };
      if (pathname.endsWith('/token')) {
        const token = accessToken(searchParams.get('scopes') ?? '');
        return json({ access_token: token, expires_in: google.lifetime, token_type: 'Bearer' });
      }
      if (pathname.endsWith('/identity')) {
        return { status: 200, body: idToken(searchParams.get('audience') ?? '') };
      }
      return { status: 200, body: 'attributes/\nservice-accounts/\n' };
    }
    if (pathname === '/v1/token') {
      const subject = new URLSearchParams(body).get('subject_token');
      if (subject !== CANARIES.workload) return json({ error: 'invalid_grant' }, 400);
      const token = accessToken('federated');
      const issued = { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
      return json({ access_token: token, token_type: 'Bearer', expires_in: google.lifetime, ...issued });
    }
    if (pathname === '/token') return json(...grant(new URLSearchParams(body)));
    const [, account, method] = /^\/v1\/projects\/-\/serviceAccounts\/([^/:]+):(\w+)$/.exec(pathname) ?? [];
    const bearer = request.headers.authorization?.slice('Bearer '.length) ?? '';
    if (!google.alive.has(bearer)) {
      return json({ error: { code: 401, status: 'UNAUTHENTICATED', message: 'Invalid credentials.' } }, 401);
    }
    if (account !== ROBOT) {
      const message = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource.";
      return json({ error: { code: 403, status: 'PERMISSION_DENIED', message } }, 403);
    }
    const asked = JSON.parse(body) as { audience?: string; scope?: string[] };
    if (method === 'generateIdToken') return json({ token: idToken(asked.audience ?? '') });
    const expireTime = new Date(Date.now() + google.lifetime * 1000).toISOString();
    return json({ accessToken: accessToken((asked.scope ?? []).join(' ')), expireTime });
  }

  function grant(form: URLSearchParams): [unknown, number] {
    const lifetime = { expires_in: google.lifetime, token_type: 'Bearer' };
    if (form.get('grant_type') === 'refresh_token') {
      if (form.get('refresh_token') !== CANARIES.refresh || form.get('client_secret') !== CANARIES.secret) {
        return [{ error: 'invalid_grant', error_description: 'Bad Request' }, 400];
      }
      return [{ access_token: accessToken('of the person'), ...lifetime, id_token: idToken('gcloud') }, 200];
    }
    const [head = '', payload = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const verified = createVerify('RSA-SHA256')
      .update(`${head}.${payload}`)
      .verify(keys.publicKey, signature, 'base64url');
    if (!verified) return [{ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, 400];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const audience = claims['target_audience'];
    if (typeof audience === 'string') return [{ id_token: idToken(audience) }, 200];
    return [{ access_token: accessToken(String(claims['scope'])), ...lifetime }, 200];
  }

  return google;
}
