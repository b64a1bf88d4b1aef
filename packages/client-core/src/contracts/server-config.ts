/**
 * What a person wrote about one server, keyed elsewhere by the server's name. Only the members that every
 * transport shares are named here; the rest belongs to the plugin of its `type`, whose schema checks it.
 */
export interface ServerConfig {
  /** Which transport plugin: `stdio`, `http`, …. Without it, `command` means stdio and `url` means http. */
  readonly type?: string | undefined;
  /** Another spelling of `type`. */
  readonly transportType?: string | undefined;
  /** True: known, but never connected. */
  readonly disabled?: boolean | undefined;
  /** Milliseconds that one tool call may take. */
  readonly timeout?: number | undefined;
  readonly [field: string]: unknown;
}
