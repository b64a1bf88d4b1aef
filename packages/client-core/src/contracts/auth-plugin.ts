import type { AuthProvider } from './auth-provider.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { ServerConfig } from './server-config.js';

/** Argument of {@link AuthPlugin.create} in addition to the server. */
export interface AuthDeps {
  /** Receives warnings and debug output. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for expiry and time-outs. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Creates the {@link AuthProvider} of a server from its configuration entry. */
export interface AuthPlugin {
  /** Version of this contract, so that a host can support older plugins. */
  readonly specVersion: 1;
  /** Short name of the sign-in scheme in messages, for example `oauth`. */
  readonly scheme: string;
  /**
   * True if {@link create} obeys `principal`: a provider for one person never uses credentials of another one. A host refuses
   * calls with a principal to a server of a plugin that does not say so. Default: false.
   */
  readonly separatesPrincipals?: boolean | undefined;
  /**
   * Creates the provider. Returns undefined if the plugin does not handle the server, so that the host asks the next one.
   * Throws a `FittingsError` of kind `config` if the entry is invalid.
   */
  create(
    server: {
      /** Name of the server. */
      readonly name: string;
      /** Its configuration entry. */
      readonly config: ServerConfig;
      /**
       * Source of the entry (scope and project), such as `ServerEntry.id` of `@mcp-fittings/config`. Credentials belong to it: two entries
       * with the same name and URL but different identities do not share them. Default: the name.
       */
      readonly identity?: string | undefined;
      /** The person whose credentials the provider uses, if a call of the host names one. Default: that of the plugin. */
      readonly principal?: string | undefined;
    },
    deps: AuthDeps,
  ): AuthProvider | undefined;
}
