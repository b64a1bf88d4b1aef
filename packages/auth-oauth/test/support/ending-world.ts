import { createServer } from 'node:http';
import { once } from 'node:events';
import type { TokenStore, Transport, TransportPlugin } from '@mcp-fittings/client-core';
import { oauth } from '@mcp-fittings/auth-oauth';
import { createHost, type Host } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { ws } from '@mcp-fittings/transport-ws';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { startAuthorizationServer, type TestAuthorizationServer } from './authorization-server.mjs';
import { startResource } from './resource-server.js';
import { scripted } from './world.js';

export type Kind = 'http' | 'sse' | 'ws';

/** A protected MCP server over one transport, and hosts with the same store. */
export interface EndingWorld extends AsyncDisposable {
  /** A host with this store, not connected yet. */
  host(): Host;
  connect(host: Host): Promise<string>;
  /** The server accepts none of the existing tokens any more. */
  refuseHeld(): Promise<void>;
  /** The server refuses all further tokens. */
  refuseAll(): Promise<void>;
  /** Changes the stored record of the sign-in. */
  edit(change: (record: Readonly<Record<string, unknown>>) => Record<string, unknown>): Promise<void>;
}

type Message = { readonly id?: unknown; readonly method?: string };

/** Answers as a server with one tool, `read`. */
export function answer({ id, method }: Message): object {
  const result =
    method === 'initialize'
      ? {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'notes', version: '1' },
        }
      : method === 'tools/list'
        ? { tools: [{ name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }
        : method === 'tools/call'
          ? { content: [{ type: 'text', text: 'done' }] }
          : method === 'ping'
            ? {}
            : undefined;
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
    : { jsonrpc: '2.0', id, result };
}

/** `unsignedStatus` is the answer of the server to a request without credentials. */
export async function createEndingWorld(kind: Kind, unsignedStatus: 401 | 403 = 401): Promise<EndingWorld> {
  let as: TestAuthorizationServer | undefined;
  const refused = { all: false, tokens: new Set<string>(), seen: new Set<string>() };
  const find = async (token: string): ReturnType<TestAuthorizationServer['find']> => {
    if (refused.all || refused.tokens.has(token)) return undefined;
    const found = await as?.find(token);
    if (found !== undefined) refused.seen.add(token);
    return found;
  };
  const served =
    kind === 'ws'
      ? await serveWebSocket(() => as, find, unsignedStatus)
      : await serveHttp(() => as, find, kind, unsignedStatus);
  as = await startAuthorizationServer({ resource: () => served.resource });
  const started = as;
  served.issuers.push(as.origin);
  let key = '';
  const inner = memoryStore();
  const store: TokenStore = {
    ...inner,
    async set(name, value) {
      if (typeof value['accessToken'] === 'string') key = name;
      await inner.set(name, value);
    },
  };
  const plugins: readonly TransportPlugin[] = [http(), sse(), ws()];
  const hosts: Host[] = [];
  return {
    host() {
      const host = createHost({
        name: 'tests',
        version: '1',
        transports: plugins,
        auth: [oauth({ clientName: 'tests', store, interaction: scripted() })],
        random: () => 0,
      });
      hosts.push(host);
      return host;
    },
    async connect(host) {
      const entry = { type: kind, url: served.url, reconnect: { maxAttempts: 2, delayMs: 1 } };
      const [snapshot] = await host.connect({ notes: entry });
      return snapshot?.state.status ?? '';
    },
    async refuseHeld() {
      for (const token of refused.seen) refused.tokens.add(token);
      await served.drop();
    },
    async refuseAll() {
      refused.all = true;
      await served.drop();
    },
    async edit(change) {
      const record = await inner.get(key);
      if (record === undefined) throw new Error('Nothing is stored.');
      await inner.set(key, change(record));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host.close()));
      await served.close();
      await started[Symbol.asyncDispose]();
    },
  };
}

interface Served {
  readonly url: string;
  readonly resource: string;
  readonly issuers: string[];
  /** Closes connections that a token was accepted for. */
  drop(): Promise<void>;
  close(): Promise<void>;
}

type Find = (token: string) => ReturnType<TestAuthorizationServer['find']>;

async function serveHttp(
  as: () => TestAuthorizationServer | undefined,
  find: Find,
  kind: Kind,
  unsignedStatus: 401 | 403,
): Promise<Served> {
  const resource = await startResource(as);
  const issuers: string[] = [];
  resource.issuers = issuers;
  resource.find = find;
  resource.sse = kind === 'sse';
  resource.answer = answer;
  resource.unsignedStatus = unsignedStatus;
  return {
    url: resource.url,
    resource: resource.url,
    issuers,
    drop: async () => undefined,
    close: async () => resource[Symbol.asyncDispose](),
  };
}

async function serveWebSocket(
  as: () => TestAuthorizationServer | undefined,
  find: Find,
  unsignedStatus: 401 | 403,
): Promise<Served> {
  const issuers: string[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ resource, authorization_servers: issuers, scopes_supported: ['tools'] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const resource = `${origin}/mcp`;
  const open = new Set<Transport>();
  const sockets = createWebSocketServer({
    server,
    path: '/mcp',
    async authenticate(request) {
      const { authorization } = request.headers;
      const [, token = ''] = authorization?.split(' ') ?? [];
      if (as() !== undefined && (await find(token)) !== undefined) return true;
      const place = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      const status = authorization === undefined ? unsignedStatus : 401;
      return { status, wwwAuthenticate: `Bearer ${place}` };
    },
    async onConnection(transport) {
      open.add(transport);
      transport.onmessage = (message) => {
        if ('id' in message && 'method' in message) void transport.send(answer(message) as never);
      };
      await transport.start();
    },
  });
  return {
    url: `ws://127.0.0.1:${address.port}/mcp`,
    resource,
    issuers,
    async drop() {
      await Promise.all([...open].map((transport) => transport.close()));
      open.clear();
    },
    async close() {
      await sockets.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
