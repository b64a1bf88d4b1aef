import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Access } from '../../src/contracts/access.js';
import type { Gateway, GatewayListener } from '../../src/contracts/gateway.js';
import { createFrontDoors, type FrontDoorOptions } from '../../src/front-doors.js';
import { type TestSurface, createTestSurface } from './test-surface.js';

/** Knows the callers `ann` and `bob` by their names as tokens. `ann-restricted` is Ann with fewer permissions. */
export const byName: Access = {
  async authenticate({ headers }) {
    const token = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1];
    if (token === 'ann-restricted')
      return { caller: { id: 'ann', allows: (_server, tool) => tool === undefined } };
    if (token === 'ann' || token === 'bob') return { caller: { id: token } };
    return {
      refusal: Response.json(
        { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'The token is missing or invalid.' } },
        { status: 401, headers: { 'www-authenticate': 'Bearer' } },
      ),
    };
  },
};

/** Only the server `notes` exists. */
const SERVERS = [undefined, 'notes', 'a/b ü'];

export interface TestGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly surface: TestSurface;
  readonly listener: GatewayListener;
  readonly url: string;
  clientV1(token?: string, path?: string): Promise<ClientV1>;
  /** A client of SDK v2: `legacy` begins a session, `auto` speaks revision 2026-07-28. */
  clientV2(era: 'legacy' | 'auto', token?: string, path?: string): Promise<Client>;
  /** Sends one request without a client. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, path?: string): Promise<Response>;
}

export async function startTestGateway(options: FrontDoorOptions = {}): Promise<TestGateway> {
  const surface = createTestSurface(options.maxSubscriptions);
  const gateway = createFrontDoors(surface, (_caller, { server }) => SERVERS.includes(server), {
    access: byName,
    ...options,
  });
  const listener = await gateway.listen({ port: 0 });
  const clients: { close(): Promise<void> }[] = [];
  const signed = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
  return {
    gateway,
    surface,
    listener,
    url: listener.url,
    async clientV1(token = 'ann', path = '') {
      const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
      clients.push(client);
      await client.connect(new HttpV1(new URL(`${listener.url}${path}`), signed(token)));
      return client;
    },
    async clientV2(era, token = 'ann', path = '') {
      const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: era } });
      clients.push(client);
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${listener.url}${path}`), signed(token)),
      );
      return client;
    },
    post: (body, headers = {}, path = '') =>
      fetch(`${listener.url}${path}`, {
        method: 'POST',
        headers: { ...SIGNED, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await gateway.close();
    },
  };
}

export const SIGNED = {
  authorization: 'Bearer ann',
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** Text of a tool's result. */
export function textOf(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] };
  return content.map(({ text }) => text).join();
}
