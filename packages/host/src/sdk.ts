import type { Engine } from './contracts/engine.js';
import { checkSdkOptions } from './engines/shared/check-options.js';
import { loadLater } from './engines/shared/load-engine.js';
import type { SdkOptions } from './engines/shared/options.js';

export type { JsonObject, SdkOptions } from './engines/shared/options.js';

/**
 * The protocol engine on `@modelcontextprotocol/sdk` (v1): revisions 2024-11-05 to 2025-11-25. The SDK has to be installed
 * beside this package; it is loaded when the first server is connected, which fails with `CONFIG_INVALID` without it.
 * Throws `CONFIG_INVALID` without `name` and `version`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 */
export function sdk(options: SdkOptions): Engine {
  checkSdkOptions(options, '@mcp-fittings/host/sdk');
  return loadLater('sdk', '@modelcontextprotocol/sdk', async () =>
    (await import('./engines/v1/engine.js')).sdk(options),
  );
}
