/**
 * Keeps what a host learned of a server between runs: its lists, and which handshake it needs. Nothing in it is secret,
 * and nothing in it is trusted: a value that can't be read is as good as absent.
 */
export interface HostCache {
  /** The value that was set, or undefined. A failure to look counts as undefined for the host. */
  get(key: string): Promise<unknown>;
  /** `value` is plain JSON. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}
