/** A server whose tools return what does not fit into the context of a model. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'large', version: '1.0.0' });

server.registerTool('log', { inputSchema: { lines: z.number() } }, ({ lines }) => ({
  content: [
    {
      type: 'text',
      text: Array.from({ length: lines }, (_, index) => `${index + 1}: Zeile mit Umlauten äöü und 😀`).join(
        '\n',
      ),
    },
  ],
}));

await server.connect(new StdioServerTransport());
