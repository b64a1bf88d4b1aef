/**
 * The headless half of MCP Apps: reads and checks apps, and answers what they ask.
 * @packageDocumentation
 */
export { APP_MIME_TYPE, appsExtension } from './apps-extension.js';
export {
  createApps,
  type App,
  type AppHostCapabilities,
  type Apps,
  type AppsOptions,
} from './create-apps.js';
export type {
  AppHandlers,
  AppQuestion,
  AppRequestExtra,
  AppsHost,
  ConfirmRead,
  OpenLink,
} from './app-handlers.js';
export { readApp, type AppResource, type AppSource, type ReadAppOptions } from './read-app.js';
export type { AppCsp, AppDomainFilter, AppDomainKind, AppDomainOptions } from './app-domains.js';
export type { AppPermission, AppPermissions } from './app-permissions.js';
export {
  toAppResult,
  type AppContentBlock,
  type AppReadResult,
  type AppResourceContents,
  type AppToolResult,
} from './app-result.js';
