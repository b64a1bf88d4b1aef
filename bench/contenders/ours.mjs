/** Our transports with their default options: validation, caps, guard, redirects, delivery and cancellation are on. */
export const ours = {
  stdio: async (options) => (await import('@mcp-fittings/transport-stdio')).createStdioTransport(options),
  ws: async (options) => (await import('@mcp-fittings/transport-ws')).createWebSocketTransport(options),
  http: async (options) => (await import('@mcp-fittings/transport-http')).createHttpTransport(options),
  'http-sse': async (options) => (await import('@mcp-fittings/transport-http')).createHttpTransport(options),
  sse: async (options) => (await import('@mcp-fittings/transport-sse')).createSseTransport(options),
  inprocess: async () => (await import('@mcp-fittings/transport-inprocess')).createLinkedPair(),
};
