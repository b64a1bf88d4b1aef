/**
 * For authors of a transport: a class with the life cycle of a connection, to which a transport adds how bytes travel.
 *
 * @packageDocumentation
 */
export { BaseTransport, type BaseTransportOptions } from './base-transport/base-transport.js';
export type { TransportController } from './base-transport/transport-controller.js';
export { afterTurn, RefusalPace } from './base-transport/after-turn.js';
export { Fifo } from './base-transport/fifo.js';
export { InFlight } from './base-transport/in-flight.js';
export type { Intake } from './base-transport/intake.js';
export { overlay } from './base-transport/overlay.js';
export { PacedSource, type Pausable } from './base-transport/paced-source.js';
export { RecentMap } from './base-transport/recent-map.js';
export type { TurnBudget, TurnBudgetOptions } from './base-transport/turn-budget.js';
