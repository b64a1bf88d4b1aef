/** A server with 300 tools, one per shelf. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const SHELVES = 300;
const server = new Server({ name: 'warehouse', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const from = Number(params?.cursor ?? 0);
  const to = Math.min(from + 100, SHELVES);
  return {
    tools: Array.from({ length: to - from }, (_, index) => ({
      name: `take-from-shelf-${from + index}`,
      description: `Takes parts from shelf ${from + index}`,
      inputSchema: {
        type: 'object',
        properties: { count: { type: 'integer', minimum: 1 } },
        required: ['count'],
      },
    })),
    ...(to < SHELVES && { nextCursor: String(to) }),
  };
});
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: 'text', text: `Took ${String(params.arguments?.count)} parts with ${params.name}.` }],
}));
await server.connect(new StdioServerTransport());
