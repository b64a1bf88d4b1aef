import type { Engine } from './contracts/engine.js';
import { loadLater } from './engines/shared/load-engine.js';
import { checkSdkOptions, type SdkOptions } from './engines/shared/sdk-options.js';

export type { JsonObject, JsonValue, SdkOptions } from './engines/shared/sdk-options.js';

/**
 * Creates a protocol engine on `@modelcontextprotocol/client`, for revisions 2024-11-05 to 2025-11-25, and the stateless 2026-07-28. Finds
 * out for each server which of them it speaks.
 *
 * Install the SDK beside this package. It is loaded when the first server connects; without it, every server fails with
 * `CONFIG_INVALID`. Throws `CONFIG_INVALID` if `name` or `version` is missing.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 * @example
 * const host = createHost({
 *   engine: sdk({ name: 'my-agent', version: '1.0.0' }),
 *   transports: [stdio()],
 * });
 */
export function sdk(options: SdkOptions): Engine {
  checkSdkOptions(options, '@mcp-fittings/host/sdk-v2');
  return loadLater('sdk-v2', '@modelcontextprotocol/client', async () =>
    (await import('./engines/v2/engine.js')).sdk(options),
  );
}
