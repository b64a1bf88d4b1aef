import type { AuthProvider } from './auth-provider.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { StandardSchemaV1 } from './standard-schema.js';
import type { Transport } from './transport.js';

/** Argument of {@link TransportPlugin.create} in addition to the entry. */
export interface TransportDeps {
  /** Name of the server, for error messages and logs. */
  readonly server: string;
  /** The person for whom this connection is, if the host serves several or has a principal of its own. Default: none. */
  readonly principal?: string | undefined;
  /** Signs the requests. Absent if no auth plugin accepts the server. */
  readonly auth?: AuthProvider | undefined;
  /** Receives warnings and debug output. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for all time-outs. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Aborted when the host stops connecting. The host ends an open connection with `close()` instead. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates transports of one `type` from configuration entries. To add a type, pass such an object to the host.
 *
 * @example
 * ```ts
 * const plugin: TransportPlugin<{ readonly path: string }> = {
 *   specVersion: 1,
 *   type: 'unix-socket',
 *   schema: entrySchema({ path: required(text()) }),
 *   create: ({ path }, { server, signal }) => new SocketTransport(path, { server, signal }),
 * };
 * ```
 */
export interface TransportPlugin<Entry = unknown> {
  /** Version of this contract, so that a host can support older plugins. */
  readonly specVersion: 1;
  /** The `type` of the configuration entries that it handles, for example `stdio`. */
  readonly type: string;
  /** Other values of `type` that it handles, for example `sse-ide`. Default none. */
  readonly aliases?: readonly string[] | undefined;
  /** Validates an entry before {@link create} gets it. Any Standard Schema validator works, for example `entrySchema()`. */
  readonly schema: StandardSchemaV1<unknown, Entry>;
  /** Creates a transport and does not start it. Throws a `FittingsError` of kind `config` if the entry cannot work. */
  create(entry: Entry, deps: TransportDeps): Transport;
  /** Plugin to try if the endpoint speaks only an older transport. Default none. */
  readonly fallback?: TransportPlugin | undefined;
}
