/** A server whose tools return what does not fit into the context of a model. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import sharp from 'sharp';
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

server.registerTool(
  'pictures',
  { inputSchema: { count: z.number(), edge: z.number() } },
  async ({ count, edge }) => {
    const image = await sharp({ create: { width: edge, height: edge, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    const data = image.toString('base64');
    return { content: Array.from({ length: count }, () => ({ type: 'image', data, mimeType: 'image/png' })) };
  },
);

server.registerTool('failing', {}, () => ({
  isError: true,
  content: [{ type: 'text', text: 'trace\n'.repeat(50_000) }],
}));

await server.connect(new StdioServerTransport());
