/** For hosts: MCP over WebSocket, the client side. The server side is `./server`. */
export { createWebSocketTransport } from './client/client-transport.js';
export type {
  WebSocketNetworkOptions,
  WebSocketTimeouts,
  WebSocketTransportOptions,
} from './client/options.js';
export { ws, type WebSocketEntry, type WebSocketPluginOptions } from './client/plugin.js';
export type { ClientCertificate, TlsOptions } from '@mcp-fittings/remote-policy';
export type { HeartbeatOptions } from './socket/heartbeat.js';
export type { RetryLaterOptions } from '@mcp-fittings/remote-policy';
