/** The transports of both official SDKs, with the cap on messages raised where there is one. */
const MAX_BYTES = 256 * 1024 * 1024;

export const sdk1 = {
  stdio: async (options) => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return new StdioClientTransport({ ...options, maxBufferSize: MAX_BYTES });
  },
  ws: async ({ url }) => {
    // Node 20 has no WebSocket of its own.
    globalThis.WebSocket ??= (await import('ws')).WebSocket;
    const { WebSocketClientTransport } = await import('@modelcontextprotocol/sdk/client/websocket.js');
    return new WebSocketClientTransport(new URL(url));
  },
  http: streamableHttp1,
  'http-sse': streamableHttp1,
  sse: async ({ url }) => {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    return new SSEClientTransport(new URL(url));
  },
  inprocess: async () =>
    (await import('@modelcontextprotocol/sdk/inMemory.js')).InMemoryTransport.createLinkedPair(),
};

async function streamableHttp1({ url }) {
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  return new StreamableHTTPClientTransport(new URL(url));
}

export const sdk2 = {
  stdio: async (options) => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return new StdioClientTransport({ ...options, maxBufferSize: MAX_BYTES });
  },
  http: streamableHttp2,
  'http-sse': streamableHttp2,
  sse: async ({ url }) => {
    const { SSEClientTransport } = await import('@modelcontextprotocol/client');
    return new SSEClientTransport(new URL(url));
  },
  inprocess: async () => (await import('@modelcontextprotocol/client')).InMemoryTransport.createLinkedPair(),
};

async function streamableHttp2({ url }) {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  return new StreamableHTTPClientTransport(new URL(url));
}

export async function newClient(version) {
  const { Client } =
    version === 1
      ? await import('@modelcontextprotocol/sdk/client/index.js')
      : await import('@modelcontextprotocol/client');
  return new Client({ name: 'bench', version: '1.0.0' });
}
