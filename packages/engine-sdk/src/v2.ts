/** The engine on `@modelcontextprotocol/client` (SDK v2). */
export { sdkV2 } from './v2/engine.js';
