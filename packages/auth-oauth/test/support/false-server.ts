import { once } from 'node:events';
import { createServer } from 'node:http';

/** A server that answers what a test wants, at first as a plain one does, and records its requests. */
export interface FalseServer extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  /** `METHOD /path` of every request, and what was posted. */
  readonly asked: {
    readonly line: string;
    readonly body: string;
    readonly authorization: string | undefined;
  }[];
  /** Answers by path; a function is called for every request. Everything else is 404. */
  readonly answers: Map<string, Answer | (() => Answer)>;
  /** The document that is now answered at a path. */
  documentAt(path: string): object;
  /** Plain metadata of a server and its authorization server, both here, with changes. */
  describe(changes?: { readonly resource?: object; readonly issuer?: object }): void;
}

export interface Answer {
  /** 0 to break the connection. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function startFalseServer(): Promise<FalseServer> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const server: FalseServer = {
    origin,
    url: `${origin}/api`,
    asked: [],
    answers: new Map(),
    documentAt(path) {
      const found = server.answers.get(path);
      return typeof found === 'object' && typeof found.body === 'object' ? (found.body ?? {}) : {};
    },
    describe({ resource = {}, issuer = {} } = {}) {
      const { answers } = server;
      answers.set('/.well-known/oauth-protected-resource/api', {
        body: { resource: `${origin}/api`, authorization_servers: [origin], ...resource },
      });
      answers.set('/.well-known/oauth-authorization-server', {
        body: {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          ...issuer,
        },
      });
      answers.set('/register', { status: 201, body: { client_id: 'c', redirect_uris: [REDIRECT] } });
      answers.set('/token', { body: { access_token: 'good', token_type: 'Bearer', refresh_token: 'r' } });
      answers.set('/api', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    },
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
  server.describe();
  http.on('request', async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const path = (request.url ?? '').split('?')[0] ?? '';
    server.asked.push({
      line: `${request.method} ${path}`,
      body,
      authorization: request.headers.authorization,
    });
    const found = server.answers.get(path);
    const answer = (typeof found === 'function' ? found() : found) ?? { status: 404 };
    if (answer.status === 0) return request.socket.destroy();
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  });
  return server;
}

/** It offers the device grant, with changes of what the device endpoint answers. */
export function offerDeviceGrant(server: FalseServer, changes: object = {}): void {
  const { origin, answers } = server;
  server.describe({
    issuer: {
      device_authorization_endpoint: `${origin}/device`,
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:device_code'],
    },
  });
  answers.set('/register', { status: 201, body: { client_id: 'c' } });
  const code = { device_code: 'd', user_code: 'U', verification_uri: `${origin}/v`, expires_in: 900 };
  answers.set('/device', { body: { ...code, ...changes } });
}

/** It demands that authorization requests are pushed (RFC 9126), and answers them with this. */
export function demandPushedRequests(server: FalseServer, answer: Answer): void {
  server.describe({
    issuer: {
      require_pushed_authorization_requests: true,
      pushed_authorization_request_endpoint: `${server.origin}/par`,
    },
  });
  server.answers.set('/par', answer);
}

export const REDIRECT = 'http://127.0.0.1:33418/callback';
