export { loadConfig, type LoadConfigOptions } from './load/load-config.js';
export type { LoadedConfig, ServerEntry } from './load/loaded-config.js';
export {
  watchConfig,
  type ConfigWatcher,
  type FollowingHost,
  type WatchConfigOptions,
} from './watch/watch-config.js';
export {
  CONFIG_PROBLEM_CODES,
  formatProblem,
  type ConfigProblem,
  type ConfigProblemCode,
  type ProblemCodeInfo,
} from './problems.js';

export { homeDirectory, type LocationOptions } from './layout/locate-files.js';
export { layouts } from './layout/built-in-layouts.js';
export { defineLayout, type Layout } from './layout/layout.js';
export type { ConfigScope } from './layout/scopes.js';

export {
  createServerApprovals,
  type ProjectApprovals,
  type ServerApprovals,
  type ServerApprovalsOptions,
} from './approval/approvals.js';
export {
  createFileApprovalStore,
  type ApprovalStore,
  type StoredDecision,
} from './approval/approval-store.js';
export type { ApprovalAnswer, ApprovalRequest } from './approval/approval-request.js';
export type { InputQuestion } from './variables/inputs.js';
export { describeServer } from './approval/prompt-text.js';
export type { ServerPolicy, ServerRule } from './policy/policy.js';

export { serverPermissions, type LoadedServer, type ServerPermissions } from './entry/permissions.js';
export { checkServerName, suggestServerName } from './server-names.js';
export { isSecretName, moveSecretsToVariables } from './entry/literal-secrets.js';
export { configJsonSchema } from './entry/config-json-schema.js';

export {
  createConfigEditor,
  type ConfigChange,
  type ConfigEditor,
  type ConfigEditorOptions,
  type WrittenFile,
} from './edit/config-editor.js';
export type { InteropClient } from './interop/clients/all-clients.js';
export {
  importServers,
  type ImportedServer,
  type ImportResult,
  type ImportServersOptions,
} from './interop/import-servers.js';
export {
  exportServers,
  exportToFile,
  type ExportResult,
  type ExportServersOptions,
} from './interop/export-servers.js';
