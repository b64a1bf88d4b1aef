/** The engine on `@modelcontextprotocol/sdk` (SDK v1). */
export { sdkV1 } from './v1/engine.js';
