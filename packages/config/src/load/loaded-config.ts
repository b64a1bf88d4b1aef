import type { ServerConfig } from '@mcp-fittings/client-core';
import type { ApprovalRequest } from '../approval/approval-request.js';
import type { LoadedServer } from '../entry/permissions.js';
import type { ConfigScope } from '../layout/scopes.js';
import type { ConfigProblem } from '../problems.js';

/** The result of {@link loadConfig}: what was found, what was decided, and what was left out. */
export interface LoadedConfig {
  /**
   * Servers that may be connected, by name: pass them to `host.connect()`. Disabled ones are included, with
   * `disabled: true`. The object has no prototype.
   */
  readonly servers: Readonly<Record<string, LoadedServer>>;
  /**
   * For each name in {@link servers}, a hash of scope, project, name and definition. Store credentials and approvals of
   * tools under it, so that a server of another project with the same name or URL does not receive them. The object has
   * no prototype.
   */
  readonly identities: Readonly<Record<string, string>>;
  /** Every definition that was found, including those that are not in {@link servers}, with its status. */
  readonly entries: readonly ServerEntry[];
  /** Everything that is wrong with files and entries, each problem once. Show them to the user. */
  readonly problems: readonly ConfigProblem[];
  /** Every file that was looked for, whether it exists or not. */
  readonly files: readonly {
    /** Absolute path, as the layout or the command line names it. */
    readonly path: string;
    /** The path with every symbolic link resolved. Undefined if the file is absent or was refused. */
    readonly realPath?: string | undefined;
    /** Scope that the file's servers belong to. */
    readonly scope: ConfigScope;
    /** `absent`: it does not exist. `refused`: it could not be read safely, see the problems. */
    readonly status: 'read' | 'absent' | 'refused';
  }[];
  /** The project that {@link LocationOptions.cwd} belongs to: the folder whose files have the scope `project`. */
  readonly project: {
    /** Real path of the root folder. */
    readonly root: string;
    /** Key under which approvals are stored. The same for all worktrees of a repository and all spellings of a path. */
    readonly id: string;
  };
}

/** One definition of one server: where it comes from, what was decided about it, and why. */
export interface ServerEntry {
  /** Name of the server, the key in the file. */
  readonly name: string;
  /**
   * A hash of scope, project, name, and every field of the definition that decides where the server leads. Store
   * credentials and approvals of tools under it, so that no other entry receives them. Undefined for an entry that could
   * not be read or is not used.
   */
  readonly identity?: string | undefined;
  /**
   * Outcome of the definition.
   *
   * - `ready`: it is in {@link LoadedConfig.servers}.
   * - `pending`: it waits for the user's approval.
   * - `rejected`: the user decided against it.
   * - `denied`: a policy forbids it.
   * - `invalid`: it has an error, see its `problems`.
   * - `replaced`: a definition of the same name from a scope with higher precedence is used instead.
   */
  readonly status: 'ready' | 'pending' | 'rejected' | 'denied' | 'invalid' | 'replaced';
  /** Scope of its source, which decides its precedence. */
  readonly scope: ConfigScope;
  /** Path of the file that defines it, or a name such as `--mcp-config #1` or `dynamic`. */
  readonly file: string;
  /** Line of the entry in {@link file}, from 1. */
  readonly line?: number | undefined;
  /** The definition as written, variables unexpanded. Undefined if it is ambiguous or not an object. */
  readonly definition?: ServerConfig | undefined;
  /** SHA-256 of name and definition without `disabled`, in hex: what an approval is for. */
  readonly hash?: string | undefined;
  /** For status `ready`: the definition with canonical field names, variables expanded and a project's grants removed. */
  readonly config?: ServerConfig | undefined;
  /** Place where each field was written, by field path such as `env.API_KEY`; `''` is the entry itself. */
  readonly provenance: Readonly<
    Record<
      string,
      {
        /** Scope of the file. */
        readonly scope: ConfigScope;
        /** Path of the file, or a name such as `--mcp-config #1` or `dynamic`. */
        readonly file: string;
        /** Line, from 1. */
        readonly line?: number | undefined;
        /** Column, from 1, in UTF-16 code units. */
        readonly column?: number | undefined;
      }
    >
  >;
  /** The question about a server of the project. Show it, and pass it to {@link ServerApprovals.remember}. */
  readonly approval?: ApprovalRequest | undefined;
  /** Problems of this definition. */
  readonly problems: readonly ConfigProblem[];
}
