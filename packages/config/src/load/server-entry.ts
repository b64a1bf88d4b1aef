import type { ServerConfig } from '@mcp-fittings/client-core';
import type { ApprovalRequest } from '../approval/approval-request.js';
import type { ConfigScope } from '../layout/scopes.js';
import type { ConfigProblem } from '../problems.js';

/**
 * What became of a definition.
 *
 * - `ready`: it is in {@link LoadedConfig.servers}.
 * - `pending`: it waits for the user's approval.
 * - `rejected`: the user decided against it.
 * - `denied`: a policy forbids it.
 * - `invalid`: it has an error, see its `problems`.
 * - `replaced`: a definition of the same name from a scope with higher precedence is used instead.
 */
export type ServerStatus = 'ready' | 'pending' | 'rejected' | 'denied' | 'invalid' | 'replaced';

/** Where a field of a definition was written. */
export interface Provenance {
  /** Scope of the file. */
  readonly scope: ConfigScope;
  /** Path of the file, or a name such as `--mcp-config #1` or `dynamic`. */
  readonly file: string;
  /** Line, from 1. */
  readonly line?: number | undefined;
  /** Column, from 1, in UTF-16 code units. */
  readonly column?: number | undefined;
}

/** One definition of one server: where it comes from, what was decided about it, and why. */
export interface ServerEntry {
  /** Name of the server, the key in the file. */
  readonly name: string;
  /** Distinguishes definitions of one name by their source: `user:github`, `project:PROJECT-ID:github`. */
  readonly id: string;
  /**
   * A hash of scope, project, name, and every field of the definition that decides where the server leads. Store
   * credentials and approvals of tools under it, so that no other entry receives them. Undefined for an entry that could
   * not be read.
   */
  readonly identity?: string | undefined;
  /** What became of the definition. */
  readonly status: ServerStatus;
  /** Scope of its source, which decides its precedence. */
  readonly scope: ConfigScope;
  /** Path of the file that defines it, or a name such as `--mcp-config #1` or `dynamic`. */
  readonly file: string;
  /** Line of the entry in {@link file}, from 1. */
  readonly line?: number | undefined;
  /** The definition as written, variables unexpanded. Undefined if it is ambiguous or not an object. */
  readonly definition?: ServerConfig | undefined;
  /** SHA-256 of name and definition, in hex: what an approval is for. */
  readonly hash?: string | undefined;
  /** For status `ready`: the definition with canonical field names, variables expanded and a project's grants removed. */
  readonly config?: ServerConfig | undefined;
  /** Where each field was written, by field path such as `env.API_KEY`; `''` is the entry itself. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** The question about a server of the project. Show it, and pass it to {@link ServerApprovals.remember}. */
  readonly approval?: ApprovalRequest | undefined;
  /** Problems of this definition. */
  readonly problems: readonly ConfigProblem[];
}
