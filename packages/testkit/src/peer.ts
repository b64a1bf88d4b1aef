/**
 * For test servers: the peer that the contract suite of transports talks to. Use it in any process, handler or socket.
 *
 * @packageDocumentation
 */
export { createKitPeer, type KitPeer } from './peer/kit-peer.js';
export type { KitWire } from './peer/kit-wire.js';
