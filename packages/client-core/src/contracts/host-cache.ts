/**
 * Stores what a host has learned about a server between runs: its lists, and which handshake it needs. The values are neither
 * secret nor trusted; an unreadable value counts as absent.
 */
export interface HostCache {
  /** Returns the stored value, or undefined. The host treats a rejection as undefined. */
  get(key: string): Promise<unknown>;
  /** Stores a value, which is plain JSON. */
  set(key: string, value: unknown): Promise<void>;
  /** Removes the value, if there is one. */
  delete(key: string): Promise<void>;
}
