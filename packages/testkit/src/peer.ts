/** For test servers: the other side of the contract suites. Wire it into any process, handler or socket. */
export { createKitPeer, type KitPeer } from './peer/kit-peer.js';
export type { KitRoute, KitWire } from './peer/kit-wire.js';
