/** `node flaky-server.mjs <file>`: exits in the middle of its first call, and works after that. The file says that it has. */
import { existsSync, writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'flaky', version: '1.0.0' });
server.registerTool('measure', { description: 'Measures the temperature' }, () => {
  if (!existsSync(process.argv[2])) {
    writeFileSync(process.argv[2], 'died in mid-call');
    process.exit(1);
  }
  return { content: [{ type: 'text', text: 'It is 21 degrees.' }] };
});
await server.connect(new StdioServerTransport());
