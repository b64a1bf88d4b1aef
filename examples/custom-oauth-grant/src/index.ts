export { createOnBehalfOfProvider, type OnBehalfOfOptions } from './on-behalf-of.js';
export { onBehalfOf, type OnBehalfOfPluginOptions } from './plugin.js';
