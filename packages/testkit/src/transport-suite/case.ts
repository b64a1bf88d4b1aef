import type { Capabilities } from './capabilities.js';
import type { Session } from './session.js';

/** One rule of the contract, and the test that shows it. */
export interface TransportCase {
  readonly name: string;
  /** For which transports the case exists. Default all. */
  readonly when?: (capabilities: Capabilities) => boolean;
  /** Needs a transport whose peer does not exist. */
  readonly unreachable?: boolean;
  /** Runs the test. The transport of the session is not started. */
  readonly run: (session: Session) => Promise<void>;
}

export interface CaseGroup {
  readonly name: string;
  readonly cases: readonly TransportCase[];
}
