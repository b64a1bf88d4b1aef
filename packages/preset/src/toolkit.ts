/**
 * For programs that show more than a host, such as `@mcp-fittings/cli`: the steps of `openHost()`. They may change with minor versions.
 */
export { loadServers, type LoadServersOptions, type LoadedServers } from './configuration/load-servers.js';
export { forgetInputs } from './configuration/input-values.js';
export { layoutOf, type LayoutName } from './configuration/layouts.js';
export { createConfiguredHost, type ConfiguredHost } from './configured-host.js';
