export { loadConfig, type LoadedConfig, type LoadOptions } from './load-config.js';
export { homeDirectory, type PlaceOptions } from './load/locate.js';
export type { ProjectVariables } from './load/judge-definition.js';
export type { SourceFile } from './load/read-source.js';
export type { Provenance, ServerEntry, ServerStatus } from './load/server-entry.js';
export type { Environment } from './entry/expand.js';
export {
  permissionsOf,
  type LoadedServer,
  type Permission,
  type ServerPermissions,
} from './entry/permissions.js';
export type { Project } from './project/find-project.js';
export { PROBLEM_CODES, type Problem, type ProblemCode, type Severity } from './problems.js';
export { DEFAULT_ORDER, type Scope } from './scopes.js';
export { MAX_NAME_LENGTH, nameProblem, suggestName } from './server-names.js';

export { layouts } from './layout/layouts.js';
export {
  defineLayout,
  PROJECT_KEY,
  type ApprovalListSource,
  type Base,
  type FileSource,
  type KeyPath,
  type Layout,
  type MissingVariable,
  type PolicySource,
  type VariableStyle,
} from './layout/layout.js';

export {
  createApprovals,
  type Approvals,
  type ApprovalsOptions,
  type ApprovalVerdict,
  type AskOptions,
  type Listed,
} from './approval/approvals.js';
export { approvalFile, type ApprovalFileOptions } from './approval/approval-file.js';
export { definitionText as describeServer } from './approval/prompt-text.js';
export type { ApprovalStore, KeptDecision } from './approval/approval-store.js';
export type { ApprovalAnswer, ApprovalDecision, ApprovalRequest, VariableUse } from './approval/request.js';
export type { Policy, ServerRule } from './policy/policy.js';

export {
  createConfigEditor,
  type ConfigChange,
  type ConfigEditor,
  type EditorOptions,
  type WrittenFile,
} from './edit/config-editor.js';
export type { ForeignProgram } from './exchange/dialects.js';
export {
  isSecretName,
  literalSecrets,
  secretsAsVariables,
  type LiteralSecret,
} from './exchange/literal-secrets.js';
export {
  importServers,
  type FailedServer,
  type ImportedRemote,
  type ImportedServer,
  type ImportOptions,
  type ImportResult,
} from './exchange/import-servers.js';
export { exportServers, type ExportOptions, type ExportResult } from './exchange/export-servers.js';
export { configJsonSchema, type JsonSchemaOptions } from './config-json-schema.js';
export { watchConfig, type ConfigWatcher, type WatchOptions } from './watch/watch-config.js';
export type { ServerChanges } from './watch/compare-servers.js';
