/**
 * The configuration entry of one server, as in an `mcpServers` object. Only the fields that every transport shares are
 * declared here; the other fields belong to the transport plugin of its `type`, whose schema validates them.
 */
export interface ServerConfig {
  /** Selects the transport plugin: `stdio`, `http`, …. Without it, an entry with `command` is stdio and one with `url` is http. */
  readonly type?: string | undefined;
  /** Alias of `type` in the files of some hosts. */
  readonly transportType?: string | undefined;
  /** If true, the server is listed but never connected. Default false. */
  readonly disabled?: boolean | undefined;
  /** Milliseconds that one tool call may take. Default: that of the host. */
  readonly timeout?: number | undefined;
  /** A field of the transport or sign-in plugin. */
  readonly [field: string]: unknown;
}
