/** MCP over WebSocket, for clients. The entry point `./server` is for servers. */
export { createWebSocketTransport } from './client/client-transport.js';
export type {
  WebSocketNetworkOptions,
  WebSocketTimeouts,
  WebSocketTransportOptions,
} from './client/options.js';
export { ws, type WebSocketEntry, type WebSocketPluginOptions } from './client/plugin.js';
export type { HeartbeatOptions } from './socket/heartbeat.js';
export type { WebSocketConnectionOptions } from './socket/socket-options.js';
