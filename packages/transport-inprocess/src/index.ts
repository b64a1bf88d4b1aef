/**
 * MCP over plain objects: to a server in the same process, or to servers in another runtime through a control channel.
 *
 * @packageDocumentation
 */
export { createChannelClient } from './channel-client.js';
export type { ControlChannel } from './control-channel.js';
export { createInProcessTransport, type InProcessTransportOptions } from './in-process-transport.js';
export { createLinkedPair } from './linked-pair.js';
export { inprocess, type InProcessEntry } from './plugin.js';
export { serveChannel, type ChannelServer } from './serve-channel.js';
export type { ConnectableServer, ServerFactory } from './hosted-server.js';
