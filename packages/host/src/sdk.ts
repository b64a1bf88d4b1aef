import type { Engine } from './contracts/engine.js';
import { loadLater } from './engines/shared/load-engine.js';
import { checkSdkOptions, type SdkOptions } from './engines/shared/sdk-options.js';

export type { JsonObject, JsonValue, SdkOptions } from './engines/shared/sdk-options.js';

/**
 * Creates a protocol engine on `@modelcontextprotocol/sdk`, for revisions 2024-11-05 to 2025-11-25.
 *
 * Install the SDK beside this package. It is loaded when the first server connects; without it, every server fails with
 * `CONFIG_INVALID`. Throws `CONFIG_INVALID` if `name` or `version` is missing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 * @example
 * const host = createHost({
 *   engine: sdk({ name: 'my-agent', version: '1.0.0' }),
 *   transports: [stdio()],
 * });
 */
export function sdk(options: SdkOptions): Engine {
  checkSdkOptions(options, '@mcp-fittings/host/sdk');
  return loadLater('sdk', '@modelcontextprotocol/sdk', async () =>
    (await import('./engines/v1/engine.js')).sdk(options),
  );
}
