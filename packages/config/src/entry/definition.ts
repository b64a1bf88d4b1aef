import type { JsonObject } from '../jsonc/json-value.js';
import type { ConfigScope } from '../layout/scopes.js';
import type { ConfigProblem, SourceLocation } from '../problems.js';
import type { InputDefinition } from '../variables/inputs.js';

/** Source of a definition, and what that permits. */
export interface Origin {
  readonly scope: ConfigScope;
  /** A path, or a name such as `--mcp-config`. */
  readonly file: string;
  /** Folder of the file, against which relative paths of a trusted definition are resolved; undefined without a file. */
  readonly folder: string | undefined;
  /** False for a file of the project: its definitions are used only once the user has approved them. */
  readonly trusted: boolean;
  /** If true, its definitions may use environment variables. */
  readonly mayUseVariables: boolean;
}

/** One entry as it was read, valid or not. */
export interface Definition {
  readonly name: string;
  readonly origin: Origin;
  /** Undefined if the entry has an invalid name, is ambiguous or not an object; `problems` says so. */
  readonly value: JsonObject | undefined;
  /** Inputs that its file defines, by ID. */
  readonly inputs: ReadonlyMap<string, InputDefinition>;
  /** Problems that were found when it was read. */
  readonly problems: readonly ConfigProblem[];
  /** Location of a field by its path, or of the nearest enclosing field if it is not written. `''` is the entry. */
  readonly locationOf: (path: string) => SourceLocation;
  /** Paths of every field that is written. */
  readonly paths: readonly string[];
}
