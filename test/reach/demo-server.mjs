import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** What the steps need of a server: an echo, an argument whose pattern is not proven cheap, and something that takes its time. */
export function demoServer() {
  const server = new McpServer({ name: 'demo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }));
  server.registerTool('mail', { inputSchema: { to: z.email() } }, ({ to }) => ({
    content: [{ type: 'text', text: `Sent to ${to}` }],
  }));
  return server;
}
