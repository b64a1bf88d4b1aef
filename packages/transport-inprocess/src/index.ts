/**
 * MCP over plain objects: to a server in the same process, or to servers in another runtime through a control channel.
 *
 * @packageDocumentation
 */
export { createChannelClient, type ChannelClient } from './channel-client.js';
export type { ControlChannel, ControlChannelListener } from './control-channel.js';
export { createInProcessTransport, type InProcessTransportOptions } from './in-process-transport.js';
export { createLinkedPair, type LinkedPairOptions } from './linked-pair.js';
export { inprocess, type InProcessEntry, type InProcessPluginOptions } from './plugin.js';
export { serveChannel, type ChannelServer, type ServeChannelOptions } from './serve-channel.js';
export type { ConnectableServer, ServerFactory } from './hosted-server.js';
