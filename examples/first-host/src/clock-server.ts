import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

/** A server in the same process: without a child process, a socket or serialization. */
export function clockServer(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('time', { description: 'Tells what time it is.' }, () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));
  return server;
}
