import type { Engine } from './contracts/engine.js';
import { checkSdkOptions } from './engines/shared/check-options.js';
import { loadLater } from './engines/shared/load-engine.js';
import type { SdkOptions } from './engines/shared/options.js';

export type { JsonObject, SdkOptions } from './engines/shared/options.js';

/**
 * The protocol engine on `@modelcontextprotocol/client` (SDK v2): revisions 2024-11-05 to 2025-11-25 and the stateless
 * 2026-07-28, found out per server. The SDK has to be installed beside this package; it is loaded when the first server is
 * connected, which fails with `CONFIG_INVALID` without it.
 * Throws `CONFIG_INVALID` without `name` and `version`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export function sdk(options: SdkOptions): Engine {
  checkSdkOptions(options, '@mcp-fittings/host/sdk-v2');
  return loadLater('sdk-v2', '@modelcontextprotocol/client', async () =>
    (await import('./engines/v2/engine.js')).sdk(options),
  );
}
