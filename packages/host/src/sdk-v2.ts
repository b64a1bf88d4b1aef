/** The protocol engine on `@modelcontextprotocol/client` (SDK v2), which has to be installed beside this package. */
export { sdk } from './engines/v2/engine.js';
export type { JsonObject, SdkOptions } from './engines/shared/options.js';
