import type { Engine } from './contracts/engine.js';
import { createNativeEngine } from './engines/native/engine.js';
import { checkSdkOptions, type SdkOptions } from './engines/shared/sdk-options.js';

export type { JsonObject, JsonValue, SdkOptions } from './engines/shared/sdk-options.js';

/**
 * Creates a protocol engine without an SDK, for revisions 2024-11-05 to 2025-11-25, and the stateless 2026-07-28. Finds out for each server
 * which of them it speaks.
 *
 * It needs no other package, so that a program starts faster than with an official SDK: nothing has to be loaded. Throws
 * `CONFIG_INVALID` if `name` or `version` is missing.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 * @example
 * const host = createHost({
 *   engine: native({ name: 'my-agent', version: '1.0.0' }),
 *   transports: [stdio()],
 * });
 */
export function native(options: SdkOptions): Engine {
  checkSdkOptions(options, '@mcp-fittings/host/native', 'native');
  return createNativeEngine(options);
}
