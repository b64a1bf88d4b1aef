import type { JsonObject } from '../jsonc/json-value.js';
import type { SourceLocation } from '../problems.js';
import type { ConfigScope } from '../layout/scopes.js';

/** Where definitions come from and what that permits. */
export interface Origin {
  readonly scope: ConfigScope;
  /** A path, or a name such as `--mcp-config`. */
  readonly file: string;
  /** Folder of the file; undefined for values without one. Relative paths of a trusted definition begin there. */
  readonly folder: string | undefined;
  /** False for what came with the project: it is used only once a person approved it. */
  readonly trusted: boolean;
  /** Whether its texts may hold variables of the environment. */
  readonly mayUseVariables: boolean;
}

/** One entry as it was read, good or not. */
export interface Definition {
  readonly name: string;
  readonly origin: Origin;
  /** Undefined for an entry that can't be used at all; it has been reported. */
  readonly value: JsonObject | undefined;
  /** Where a field stands; the entry itself for `''`. The nearest enclosing field where that one is not written. */
  readonly locationOf: (path: string) => SourceLocation;
  /** Every written field. */
  readonly paths: readonly string[];
}
