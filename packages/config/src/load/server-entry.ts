import type { ServerConfig } from '@mcp-fittings/client-core';
import type { ApprovalRequest } from '../approval/approval-request.js';
import type { ConfigProblem } from '../problems.js';
import type { ConfigScope } from '../layout/scopes.js';

/**
 * `ready`: in `servers`. `pending`: waits for a person's approval. `rejected`: a person decided against it. `denied`:
 * a policy forbids it. `invalid`: it can't work. `replaced`: another one of the same name counts.
 */
export type ServerStatus = 'ready' | 'pending' | 'rejected' | 'denied' | 'invalid' | 'replaced';

/** Where the value of a field was written. */
export interface Provenance {
  readonly scope: ConfigScope;
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** One definition of one server, with everything that is known of it. */
export interface ServerEntry {
  readonly name: string;
  /** Tells definitions of one name apart by where they come from: a project's server `github` is not the user's. */
  readonly id: string;
  /**
   * Identifies scope, project, name, and everything in the definition that decides where it leads, as a hash. Keep
   * credentials and approvals of tools under it, so that no other entry is given what belongs to this one. Undefined
   * for an entry that could not be read.
   */
  readonly identity?: string | undefined;
  readonly status: ServerStatus;
  readonly scope: ConfigScope;
  /** Path, or a name such as `--mcp-config`. */
  readonly file: string;
  readonly line?: number | undefined;
  /** As written: variables unexpanded. Undefined when it could not be read in one way only. */
  readonly definition?: ServerConfig | undefined;
  /** SHA-256 of name and definition. */
  readonly hash?: string | undefined;
  /** Ready to use, for status `ready`: one spelling, variables expanded, grants of a project taken out. */
  readonly config?: ServerConfig | undefined;
  /** By field path, `''` being the entry itself. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** The question to put to a person, for a status that a person decides. Pass it to `ServerApprovals.remember`. */
  readonly approval?: ApprovalRequest | undefined;
  /** Those of this definition. */
  readonly problems: readonly ConfigProblem[];
}
