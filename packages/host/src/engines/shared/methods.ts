import type { ToolDefinition } from '../../contracts/catalog.js';

/** Requests that a host sends. */
export type ClientMethod =
  | 'completion/complete'
  | 'logging/setLevel'
  | 'ping'
  | 'prompts/get'
  | 'prompts/list'
  | 'resources/list'
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/templates/list'
  | 'resources/unsubscribe'
  | 'server/discover'
  | 'tools/call'
  | 'tools/list';

/** What one method needs besides its parameters. */
export interface RequestExtras {
  /** For `tools/call`: the definition of the tool, from which headers are derived. */
  readonly tool?: ToolDefinition | undefined;
}
