import type { AuthProvider } from './auth-provider.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { StandardSchemaV1 } from './standard-schema.js';
import type { Transport } from './transport.js';

/** What a plugin is given besides the entry. */
export interface TransportDeps {
  /** Name of the server, for messages and logs. */
  readonly server: string;
  /** Signs requests; absent when no auth plugin felt responsible. */
  readonly auth?: AuthProvider | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Aborted when the host gives up connecting. It ends a connection that is up with `close()`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes transports of one `type` out of configuration. Third parties add a type by passing such an object to
 * the host; nothing else is needed.
 */
export interface TransportPlugin<Entry = unknown> {
  /** Version of this contract, so that a host can go on accepting older plugins. */
  readonly specVersion: 1;
  /** What a config entry says: `stdio`. */
  readonly type: string;
  /** Other spellings of the same type: `sse-ide`. */
  readonly aliases?: readonly string[] | undefined;
  /** Checks an entry before {@link create} sees it; any Standard Schema validator. */
  readonly schema: StandardSchemaV1<unknown, Entry>;
  /** Makes an unstarted transport. Throws a `FittingsError` of kind `config` when the entry can't work. */
  create(entry: Entry, context: TransportDeps): Transport;
  /** Tried when the endpoint turns out to be of an older kind. */
  readonly fallback?: TransportPlugin | undefined;
}
