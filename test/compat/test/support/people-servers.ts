import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Interaction } from '@mcp-fittings/auth-oauth';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';

/** One `tools/call` as a server received it. */
export interface SeenCall {
  /** Whose token came with it. */
  readonly account: string;
  /** For whom the caller said it is: the argument `as`. */
  readonly calledAs: string;
}

/** Servers that require a token over each remote wire, and the authorization server that issues it, on one port. */
export interface PeopleServers extends AsyncDisposable {
  readonly http: string;
  readonly sse: string;
  readonly ws: string;
  readonly seen: SeenCall[];
  /** Refuses all access tokens that were issued so far. */
  expire(): void;
  /** Signs in as the person whom the host names, without a page. */
  readonly interaction: Interaction;
}

interface Account {
  readonly account: string;
}

/** Answers a request as a server that lists one tool for the owner of the token. */
function answer(message: JSONRPCMessage, account: string, seen: SeenCall[]): object | undefined {
  if (!isRequest(message)) return undefined;
  const { id, method, params = {} } = message;
  const result = (value: object): object => ({ jsonrpc: '2.0', id, result: value });
  if (method === 'initialize') {
    const serverInfo = { name: 'people', version: '1.0.0' };
    return result({ protocolVersion: params['protocolVersion'], capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'ping') return result({});
  if (method === 'tools/list') {
    const names = ['whoami', `tool_of_${account}`];
    return result({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  }
  if (method !== 'tools/call')
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  const { as } = params['arguments'] as { as: string };
  seen.push({ account, calledAs: as });
  return result({ content: [{ type: 'text', text: `you are ${account}` }] });
}

export async function startPeopleServers(): Promise<PeopleServers> {
  const seen: SeenCall[] = [];
  const access = new Map<string, Account>();
  const refresh = new Map<string, Account>();
  const streams = new Map<string, { readonly response: ServerResponse; readonly account: string }>();
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const accountOf = ({ headers }: IncomingMessage): string | undefined =>
    access.get(headers.authorization?.split(' ')[1] ?? '')?.account;
  const challenge = (path: string): string =>
    `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource${path}"`;

  const issue = (account: string): object => {
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    access.set(tokens.access_token, { account });
    refresh.set(tokens.refresh_token, { account });
    return { ...tokens, token_type: 'Bearer', expires_in: 3600 };
  };
  const token = (form: URLSearchParams): object | undefined => {
    if (form.get('grant_type') === 'authorization_code') return issue(form.get('code') ?? '');
    const given = form.get('refresh_token') ?? '';
    const owner = refresh.get(given);
    // Each is used once: two people with one token would sign each other out.
    refresh.delete(given);
    return owner && issue(owner.account);
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const { pathname } = url;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const json = (value: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const resource = /^\/\.well-known\/oauth-protected-resource(\/\w+)$/.exec(pathname)?.[1];
    if (resource !== undefined) return json({ resource: origin + resource, authorization_servers: [origin] });
    if (pathname === '/.well-known/oauth-authorization-server') {
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (pathname === '/register') {
      const { redirect_uris } = JSON.parse(text) as { redirect_uris: string[] };
      const client = { client_id: randomUUID(), redirect_uris, token_endpoint_auth_method: 'none' };
      return json(client, 201);
    }
    if (pathname === '/token') {
      const granted = token(new URLSearchParams(text));
      return granted === undefined ? json({ error: 'invalid_grant' }, 400) : json(granted);
    }
    if (pathname !== '/http' && pathname !== '/sse' && pathname !== '/messages')
      return void response.writeHead(404).end();
    const account = accountOf(request);
    if (account === undefined) {
      const path = pathname === '/messages' ? '/sse' : pathname;
      return void response.writeHead(401, { 'www-authenticate': challenge(path) }).end();
    }
    if (pathname === '/sse' && request.method === 'GET') {
      const id = randomUUID();
      streams.set(id, { response, account });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`);
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(text) as JSONRPCMessage;
    const answered = answer(message, account, seen);
    if (pathname === '/http')
      return answered === undefined ? void response.writeHead(202).end() : json(answered);
    response.writeHead(202).end();
    const stream = streams.get(url.searchParams.get('id') ?? '');
    // The account of the stream and that of the message must be the same.
    if (stream?.account !== account) seen.push({ account, calledAs: `the stream of ${stream?.account}` });
    if (answered !== undefined)
      stream?.response.write(`event: message\ndata: ${JSON.stringify(answered)}\n\n`);
  }

  const sockets = createWebSocketServer({
    server,
    path: '/ws',
    maxConnections: 1000,
    maxHandshakes: 1000,
    closeTimeoutMs: 200,
    authenticate: (request) =>
      accountOf(request) === undefined ? { status: 401, wwwAuthenticate: challenge('/ws') } : true,
    async onConnection(transport: Transport, request) {
      const account = accountOf(request) ?? '';
      transport.onmessage = (message) => {
        const answered = answer(message, account, seen);
        if (answered !== undefined) void transport.send(answered as JSONRPCMessage).catch(() => undefined);
      };
      await transport.start();
    },
  });

  return {
    http: `${origin}/http`,
    sse: `${origin}/sse`,
    ws: `ws://127.0.0.1:${port}/ws`,
    seen,
    expire: () => access.clear(),
    interaction: {
      begin: async ({ principal = 'unnamed' }) => ({
        redirectUri: 'http://127.0.0.1:33418/callback',
        authorize: async ({ state }) => new URLSearchParams({ code: principal, state, iss: origin }),
        async [Symbol.asyncDispose]() {},
      }),
    },
    async [Symbol.asyncDispose]() {
      await sockets.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
