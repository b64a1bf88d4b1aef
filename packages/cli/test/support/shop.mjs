/**
 * A server of the official SDK on stdio whose tool needs a page to be visited first: `node shop.mjs [silent]`. Silent: it does not
 * report that the page is done.
 */
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';

const isSilent = process.argv[2] === 'silent';
const elicitationId = 'order-1';
const server = new McpServer({ name: 'shop', version: '1.0.0' });
let isPaid = false;
let calls = 0;
const pages = createServer((_request, response) => {
  isPaid = true;
  response.end('paid');
  if (isSilent) return;
  void server.server.notification({
    method: 'notifications/elicitation/complete',
    params: { elicitationId },
  });
});
// It ends with its stdin.
pages.unref().on('connection', (socket) => socket.unref());
pages.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${pages.address().port}/pay`;
  server.registerTool('buy', {}, () => {
    calls++;
    if (!isPaid) {
      throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId, url, message: 'Pay first' }]);
    }
    return { content: [{ type: 'text', text: `bought after ${calls} calls` }] };
  });
  void server.connect(new StdioServerTransport());
});
