import type { Capabilities } from './capabilities.js';
import type { Session } from './session.js';

/** One rule of the contract and how to show it. */
export interface TransportCase {
  readonly name: string;
  /** For which transports it exists; absent means all. */
  readonly when?: (capabilities: Capabilities) => boolean;
  /** Wants a transport whose peer does not exist. */
  readonly unreachable?: boolean;
  /** The session's transport is not started. */
  readonly run: (session: Session) => Promise<void>;
}

export interface CaseGroup {
  readonly name: string;
  readonly cases: readonly TransportCase[];
}
