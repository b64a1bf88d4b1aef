import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@mcp-fittings/client-core';

/** What the tests ask of an SDK client, whichever it is. */
export interface SomeClient extends AsyncDisposable {
  tools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<string>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
  readonly serverName: string | undefined;
  /** `legacy` or `modern`; undefined where the SDK knows one only. */
  readonly era: string | undefined;
}

export interface CallOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

export interface ClientKind {
  readonly name: string;
  connect(transport: Transport): Promise<SomeClient>;
}

const INFO = { name: 'test', version: '1' };

export const clientV1: ClientKind = {
  name: 'SDK v1',
  async connect(transport) {
    const client = new ClientV1(INFO);
    await client.connect(transport);
    return wrap({
      tools: async () => (await client.listTools()).tools,
      call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
      read: (uri) => client.readResource({ uri }),
      close: () => client.close(),
      serverName: client.getServerVersion()?.name,
      era: undefined,
    });
  },
};

export const clientV2 = (mode: 'legacy' | 'auto' | { readonly pin: string }): ClientKind => ({
  name: `SDK v2 ${typeof mode === 'string' ? mode : mode.pin}`,
  async connect(transport) {
    const client = new ClientV2(INFO, { versionNegotiation: { mode } });
    await client.connect(transport);
    return wrap({
      tools: async () => (await client.listTools()).tools,
      call: (name, args, options) => client.callTool({ name, arguments: args }, options),
      read: (uri) => client.readResource({ uri }),
      close: () => client.close(),
      serverName: client.getServerVersion()?.name,
      era: client.getProtocolEra(),
    });
  },
});

export const ALL_CLIENTS: readonly ClientKind[] = [clientV1, clientV2('legacy'), clientV2('auto')];

interface Verbs {
  readonly tools: () => Promise<readonly { name: string }[]>;
  readonly call: (name: string, args: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;
  readonly read: (uri: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
  readonly serverName: string | undefined;
  readonly era: string | undefined;
}

function wrap({ tools, call, read, close, serverName, era }: Verbs): SomeClient {
  return {
    tools: async () => (await tools()).map(({ name }) => name),
    async call(name, args, options) {
      const result = (await call(name, args, options)) as { content?: readonly { text?: string }[] };
      return result.content?.[0]?.text ?? '';
    },
    async read(uri) {
      const { contents } = (await read(uri)) as { contents: readonly { text?: string }[] };
      return contents[0]?.text ?? '';
    },
    close,
    serverName,
    era,
    [Symbol.asyncDispose]: close,
  };
}
