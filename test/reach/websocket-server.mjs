/** A server behind a WebSocket on `PORT`, for those who know `TOKEN`, with the SDK's own `McpServer`. */
import { createServer } from 'node:http';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { demoServer } from './demo-server.mjs';

const http = createServer();
createWebSocketServer({
  server: http,
  token: process.env['TOKEN'],
  onConnection: async (transport) => {
    await demoServer().connect(transport);
  },
});
http.listen(Number(process.env['PORT']), '127.0.0.1', () => console.error('listening on port'));
