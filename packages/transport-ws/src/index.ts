/** MCP over WebSocket, for clients. The entry point `./server` is for servers. */
export { createWebSocketTransport } from './client/client-transport.js';
export type { WebSocketTransportOptions } from './client/options.js';
export { ws, type WebSocketEntry } from './client/plugin.js';
export type { WebSocketConnectionOptions } from './socket/socket-options.js';
