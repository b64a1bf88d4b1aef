/** MCP over WebSocket, for servers: on an existing `http.Server`. */
export { createWebSocketServer } from './server/websocket-server.js';
export type { WebSocketServer, WebSocketServerOptions } from './server/options.js';
export type { WebSocketConnectionOptions } from './socket/socket-options.js';
