export { loadConfig, type LoadedConfig, type LoadConfigOptions } from './load/load-config.js';
export { homeDirectory, type LocationOptions } from './layout/locate-files.js';
export type { ProjectVariables } from './load/evaluate-definition.js';
export type { SourceFile } from './load/read-source.js';
export type { Provenance, ServerEntry, ServerStatus } from './load/server-entry.js';
export type { EnvironmentVariables } from './variables/expand.js';
export {
  serverPermissions,
  type LoadedServer,
  type Permission,
  type ServerPermissions,
} from './entry/permissions.js';
export type { Project } from './layout/find-project.js';
export {
  CONFIG_PROBLEM_CODES,
  type ConfigProblem,
  type ConfigProblemCode,
  type Severity,
} from './problems.js';
export { DEFAULT_SCOPE_ORDER, type ConfigScope } from './layout/scopes.js';
export { MAX_SERVER_NAME_LENGTH, checkServerName, suggestServerName } from './server-names.js';

export { layouts } from './layout/layouts.js';
export {
  defineLayout,
  PROJECT_PLACEHOLDER,
  type ApprovalListSource,
  type BaseDirectory,
  type FileSource,
  type KeyPath,
  type Layout,
  type MissingVariable,
  type PolicySource,
  type VariableStyle,
} from './layout/layout.js';

export {
  createServerApprovals,
  type ServerApprovals,
  type ServerApprovalsOptions,
  type ApprovalVerdict,
  type ApprovalPromptOptions,
  type ListedStatus,
} from './approval/approvals.js';
export { createFileApprovalStore, type FileApprovalStoreOptions } from './approval/approval-store.js';
export { describeServer } from './approval/prompt-text.js';
export type { ApprovalStore, StoredDecision } from './approval/approval-store.js';
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  VariableUse,
} from './approval/approval-request.js';
export type { ServerPolicy, ServerRule } from './policy/policy.js';

export {
  createConfigEditor,
  type ConfigChange,
  type ConfigEditor,
  type ConfigEditorOptions,
  type WrittenFile,
} from './edit/config-editor.js';
export type { InteropClient } from './interop/clients/all-clients.js';
export {
  isSecretName,
  findLiteralSecrets,
  moveSecretsToVariables,
  type LiteralSecret,
} from './entry/literal-secrets.js';
export {
  importServers,
  type FailedServer,
  type ImportedRemote,
  type ImportedServer,
  type ImportServersOptions,
  type ImportResult,
} from './interop/import-servers.js';
export { exportServers, type ExportServersOptions, type ExportResult } from './interop/export-servers.js';
export { configJsonSchema, type ConfigJsonSchemaOptions } from './entry/config-json-schema.js';
export { watchConfig, type ConfigWatcher, type WatchConfigOptions } from './watch/watch-config.js';
export type { ServerChanges } from './watch/watch-config.js';
