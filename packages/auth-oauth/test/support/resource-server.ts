import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AuthProvider } from '@mcp-fittings/client-core';
import type { AuthProviderFixture } from '@mcp-fittings/testkit/auth-provider';
import type { TestAuthorizationServer } from './authorization-server.mjs';
import type { ProofChecker } from './proof-checker.js';

/** A server that is protected as in RFC 9728, and counts its requests. */
export interface TestResource extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  /** Authorization values of all requests to it. */
  readonly seen: (string | undefined)[];
  /** Valid tokens that it does not accept any more. */
  readonly dead: Set<string>;
  /** Issuers in its metadata. */
  issuers: readonly string[];
  needs: string | undefined;
  /** Answers that `needs` is missing, whatever was granted. */
  insatiable: boolean;
  /** Introspects a token; replace it to refuse all tokens. */
  find: (token: string) => ReturnType<TestAuthorizationServer['find']>;
  /** Accepts DPoP only. */
  dpopOnly: boolean;
  /** Checks the proofs, and requires a nonce: a new one with every response. */
  proofs: ProofChecker | undefined;
  /** Speaks HTTP+SSE: GET opens the stream that carries all responses. */
  sse: boolean;
  /** The response to a JSON-RPC message; undefined for a text about the token. */
  answer: ((message: { readonly id?: unknown; readonly method?: string }) => unknown) | undefined;
  /** Redirects all requests there. */
  redirect: string | undefined;
  metadata: (document: Record<string, unknown>) => unknown;
  challenge: (text: string) => string;
  /** Status of the answer to a request without credentials. */
  unsignedStatus: 401 | 403;
}

export async function startResource(
  server: () => TestAuthorizationServer | undefined,
): Promise<TestResource> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const resource: TestResource = {
    url: `${origin}/mcp`,
    origin,
    seen: [],
    dead: new Set(),
    issuers: [],
    needs: undefined,
    insatiable: false,
    find: async (token) => server()?.find(token),
    dpopOnly: false,
    proofs: undefined,
    sse: false,
    answer: undefined,
    redirect: undefined,
    metadata: (document) => document,
    challenge: (text) => text,
    unsignedStatus: 401,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
  http.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response));

  let stream: ServerResponse | undefined;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = textOf(request);
    const json = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      return json(
        200,
        resource.metadata({
          resource: resource.url,
          authorization_servers: resource.issuers,
          scopes_supported: ['tools'],
        }),
      );
    }
    if (request.url?.startsWith('/mcp') !== true) return json(404, {});
    const { authorization } = request.headers;
    resource.seen.push(authorization);
    const [scheme, token = ''] = authorization?.split(' ') ?? [];
    const found = resource.dead.has(token) ? undefined : await resource.find(token);
    const wanted = resource.dpopOnly ? 'DPoP' : 'Bearer';
    const place = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (found === undefined || (resource.dpopOnly && scheme !== 'DPoP')) {
      const status = authorization === undefined ? resource.unsignedStatus : 401;
      return json(status, {}, { 'www-authenticate': resource.challenge(`${wanted} ${place}`) });
    }
    if (resource.proofs !== undefined) {
      const url = new URL(request.url, origin);
      const verdict = await resource.proofs.check(request, `${origin}${url.pathname}`, token, found.jkt);
      response.setHeader('dpop-nonce', resource.proofs.next());
      if (verdict !== 'good') {
        return json(401, {}, { 'www-authenticate': `DPoP error="${verdict}", ${place}` });
      }
    }
    const granted = !resource.insatiable && found.scope.split(' ').includes(resource.needs ?? '');
    if (resource.needs !== undefined && !granted) {
      return json(
        403,
        {},
        {
          'www-authenticate': `${wanted} error="insufficient_scope", scope="${resource.needs}", ${place}`,
        },
      );
    }
    if (resource.redirect !== undefined) return json(307, {}, { location: resource.redirect });
    if (resource.answer === undefined) return json(200, { ok: true, scope: found.scope });
    if (request.method === 'GET' && resource.sse) {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /mcp/messages\n\n');
      return;
    }
    if (request.method !== 'POST') return json(405, {});
    const message = JSON.parse(await body);
    if (message.id === undefined) return json(202, {});
    if (!resource.sse) return json(200, resource.answer(message));
    json(202, {});
    stream?.write(`event: message\ndata: ${JSON.stringify(resource.answer(message))}\n\n`);
  }
  return resource;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Returns the fixture of the contract suite for a provider that signs for the server of this world. */
export function fixtureOf(
  world: AsyncDisposable & {
    readonly resource: TestResource;
    readonly as: Pick<TestAuthorizationServer, 'tokenRequests'>;
  },
  provider: AuthProvider,
): AuthProviderFixture {
  const { resource, as } = world;
  const url = new URL(resource.url);
  return {
    provider,
    url,
    async send(headers) {
      const response = await fetch(url, { method: 'POST', headers, body: '{}' });
      await response.body?.cancel();
      const { status } = response;
      return { status, wwwAuthenticate: response.headers.get('www-authenticate') ?? undefined };
    },
    async revoke() {
      for (const value of resource.seen) resource.dead.add(value?.split(' ')[1] ?? '');
    },
    async refuseAll() {
      resource.find = async () => undefined;
    },
    renewals: () => as.tokenRequests.length,
    teardown: async () => world[Symbol.asyncDispose](),
  };
}
