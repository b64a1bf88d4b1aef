import type { AuthProvider } from './auth-provider.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { ServerConfig } from './server-config.js';

export interface AuthDeps {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Makes the {@link AuthProvider} of a server out of its configuration. */
export interface AuthPlugin {
  readonly specVersion: 1;
  /** Short name for messages: `oauth`. */
  readonly scheme: string;
  /** `undefined` means: not mine, ask the next plugin. Throws a `FittingsError` of kind `config` on a bad entry. */
  create(
    server: {
      readonly name: string;
      readonly config: ServerConfig;
      /**
       * Where the entry comes from: scope and project, such as `ServerEntry.id` of `@mcp-fittings/config`. Credentials belong to
       * it: two entries of one name and URL with different identities share none. Default: the name alone.
       */
      readonly identity?: string | undefined;
    },
    context: AuthDeps,
  ): AuthProvider | undefined;
}
