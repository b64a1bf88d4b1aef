/**
 * The headless half of MCP Apps: reads and checks apps, and answers what they ask.
 * @packageDocumentation
 */
export { createApps, type App, type Apps, type AppsOptions } from './create-apps.js';
export type { AppHandlers, AppQuestion, AppRequestExtra, AppsHost } from './app-handlers.js';
export { APP_MIME_TYPE, appsExtension, readApp, type AppResource, type ReadAppOptions } from './read-app.js';
export type { AppCsp } from './app-domains.js';
export type { AppPermissions } from './app-permissions.js';
export { toAppResult, type AppResourceContents, type AppToolResult } from './app-result.js';
