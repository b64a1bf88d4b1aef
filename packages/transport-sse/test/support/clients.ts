import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@mcp-fittings/client-core';

/** What the tests ask of an SDK client, whichever it is. */
export interface SomeClient extends AsyncDisposable {
  tools(): Promise<readonly string[]>;
  call(name: string, args: Record<string, unknown>, onprogress?: () => void): Promise<unknown>;
  readonly server: string | undefined;
  /** Settles when the client is told that the connection ended. */
  readonly closed: Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  connect(transport: Transport, timeout?: number): Promise<SomeClient>;
}

const INFO = { name: 'test', version: '1' };

export const clientV1: ClientKind = {
  name: 'SDK v1',
  async connect(transport, timeout = 10_000) {
    const client = new ClientV1(INFO);
    await client.connect(transport, { timeout });
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args, onprogress) =>
        client.callTool({ name, arguments: args }, undefined, { timeout, ...(onprogress && { onprogress }) }),
      server: client.getServerVersion()?.name,
      closed: new Promise((resolve) => (client.onclose = resolve)),
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
};

export const clientV2 = (mode: 'legacy' | 'auto'): ClientKind => ({
  name: `SDK v2 ${mode}`,
  async connect(transport, timeout = 10_000) {
    const client = new ClientV2(INFO, { versionNegotiation: { mode } });
    await client.connect(transport, { timeout });
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args, onprogress) =>
        client.callTool({ name, arguments: args }, { timeout, ...(onprogress && { onprogress }) }),
      server: client.getServerVersion()?.name,
      closed: new Promise((resolve) => (client.onclose = resolve)),
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
});

export const ALL_CLIENTS: readonly ClientKind[] = [clientV1, clientV2('legacy'), clientV2('auto')];
