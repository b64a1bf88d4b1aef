import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** What the checks need of a server: an echo, and something that takes its time. */
export function demoServer() {
  const server = new McpServer({ name: 'demo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }));
  server.registerTool(
    'slow',
    {},
    (extra) =>
      new Promise((_, reject) => {
        extra.signal.addEventListener('abort', () => reject(new Error('cancelled')));
      }),
  );
  return server;
}
