import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@mcp-fittings/client-core';

/** What the tests do with a client, alike for both SDKs. */
export interface TestClient {
  connect(transport: Transport): Promise<void>;
  tools(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  era(): string;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

const INFO = { name: 'test-client', version: '1.0.0' };
const ROOTS = { roots: [{ uri: 'file:///one' }, { uri: 'file:///two' }] };

export function makeClientV1(): TestClient {
  const client = new ClientV1(INFO, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  return {
    connect: (transport) => client.connect(transport),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    era: () => 'legacy',
    close: () => client.close(),
  };
}

export function makeClientV2(mode: 'legacy' | 'auto'): TestClient {
  const client = new ClientV2(INFO, { capabilities: { roots: {} }, versionNegotiation: { mode } });
  client.setRequestHandler('roots/list', () => ROOTS);
  return {
    connect: (transport) => client.connect(transport),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    era: () => client.getProtocolEra() ?? 'none',
    close: () => client.close(),
  };
}

export const clients: readonly { readonly name: string; readonly make: () => TestClient }[] = [
  { name: 'SDK v1', make: makeClientV1 },
  { name: 'SDK v2', make: () => makeClientV2('legacy') },
  { name: 'SDK v2 auto', make: () => makeClientV2('auto') },
];
