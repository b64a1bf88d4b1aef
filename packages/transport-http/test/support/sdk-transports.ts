import { StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@mcp-fittings/client-core';

/** The transports of the SDKs, for the comparison. They are no `AsyncDisposable`, which is all that is added. */
export interface SdkTransportKind {
  readonly name: 'SDK v1' | 'SDK v2';
  readonly make: (url: string, options?: SdkTransportOptions) => Transport;
}

export interface SdkTransportOptions {
  readonly reconnectionOptions?: {
    readonly initialReconnectionDelay: number;
    readonly maxReconnectionDelay: number;
    readonly reconnectionDelayGrowFactor: number;
    readonly maxRetries: number;
  };
  readonly authProvider?: unknown;
}

export const SDK_TRANSPORTS: readonly SdkTransportKind[] = [
  {
    name: 'SDK v1',
    make: (url, options) => disposable(new TransportV1(new URL(url), options as never) as never),
  },
  {
    name: 'SDK v2',
    make: (url, options) => disposable(new TransportV2(new URL(url), options as never) as never),
  },
];

function disposable(transport: Transport): Transport {
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}
