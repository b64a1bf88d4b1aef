export { loadConfig, type LoadedConfig, type LoadConfigOptions } from './load/load-config.js';
export type { ProjectVariables } from './load/evaluate-definition.js';
export type { SourceFile } from './load/read-source.js';
export type { Provenance, ServerEntry, ServerStatus } from './load/server-entry.js';
export {
  watchConfig,
  type ConfigWatcher,
  type ServerChanges,
  type WatchConfigOptions,
} from './watch/watch-config.js';
export {
  CONFIG_PROBLEM_CODES,
  type ConfigProblem,
  type ConfigProblemCode,
  type ProblemCodeInfo,
  type Severity,
} from './problems.js';

export { homeDirectory, type LocationOptions } from './layout/locate-files.js';
export { layouts } from './layout/built-in-layouts.js';
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
export type { Project } from './layout/find-project.js';
export { DEFAULT_SCOPE_ORDER, type ConfigScope } from './layout/scopes.js';

export {
  createServerApprovals,
  type ApprovalPromptOptions,
  type ApprovalVerdict,
  type ListedStatus,
  type ServerApprovals,
  type ServerApprovalsOptions,
} from './approval/approvals.js';
export {
  createFileApprovalStore,
  type ApprovalStore,
  type FileApprovalStoreOptions,
  type StoredDecision,
} from './approval/approval-store.js';
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  VariableUse,
} from './approval/approval-request.js';
export { describeServer } from './approval/prompt-text.js';
export type { ServerPolicy, ServerRule } from './policy/policy.js';

export {
  serverPermissions,
  type LoadedServer,
  type Permission,
  type ServerPermissions,
} from './entry/permissions.js';
export type { EnvironmentVariables } from './variables/expand.js';
export { checkServerName, MAX_SERVER_NAME_LENGTH, suggestServerName } from './server-names.js';
export {
  findLiteralSecrets,
  isSecretName,
  moveSecretsToVariables,
  type LiteralSecret,
} from './entry/literal-secrets.js';
export { configJsonSchema, type ConfigJsonSchemaOptions } from './entry/config-json-schema.js';
export type { JsonObject, JsonValue } from './jsonc/json-value.js';

export {
  createConfigEditor,
  type ConfigChange,
  type ConfigEditor,
  type ConfigEditorOptions,
  type ServerTarget,
  type WrittenFile,
} from './edit/config-editor.js';
export type { InteropClient } from './interop/clients/all-clients.js';
export {
  importServers,
  type FailedServer,
  type ImportedRemote,
  type ImportedServer,
  type ImportResult,
  type ImportServersOptions,
} from './interop/import-servers.js';
export { exportServers, type ExportResult, type ExportServersOptions } from './interop/export-servers.js';
