/** The protocol engine on `@modelcontextprotocol/sdk` (v1), which has to be installed beside this package. */
export { sdk } from './engines/v1/engine.js';
export type { JsonObject, SdkOptions } from './engines/shared/options.js';
