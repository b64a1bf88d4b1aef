import type { FittingsError } from '@mcp-fittings/client-core';

/**
 * `available`: a test item was written, read back and deleted. `locked`: a person has to unlock it. `timeout`: it does
 * not answer. `read-only`: it can be read, not written. `unavailable`: there is none, or it does not do what it says.
 */
export type KeychainState = 'available' | 'unavailable' | 'locked' | 'timeout' | 'read-only';

export interface KeychainStatus {
  readonly state: KeychainState;
  /** Name of the driver that was asked. */
  readonly driver: string;
  /** Why it is not available: what `set` would reject with. */
  readonly error?: FittingsError | undefined;
}
