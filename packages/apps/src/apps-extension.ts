/** Media type of an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * Returns the capability by which a host tells servers that it shows apps: `extensions` of `createHost()`, or `capabilities.extensions` of
 * a `Client` of an official SDK.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Client (Host) Capabilities)
 * @example
 * const host = createHost({ name: 'my-agent', version: '1.0.0', extensions: appsExtension(), transports });
 */
export function appsExtension(): { 'io.modelcontextprotocol/ui': { mimeTypes: string[] } } {
  return { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_MIME_TYPE] } };
}
