import type { ServerConfig } from '@mcp-fittings/client-core';

/**
 * The question whether a server that came with a project may be used. It is about one definition, exactly as it would be
 * used; a definition that changes is a new question.
 */
export interface ApprovalRequest {
  /** Name of the server, the key in the file. It satisfies the rules of {@link checkServerName}, so it is safe to print. */
  readonly name: string;
  /** The project that brings the server. Decisions are stored under its `id`; `root` is its real path. */
  readonly project: { readonly id: string; readonly root: string };
  /** SHA-256 of the name and of every field of the definition but `disabled`, in hex. An approval is valid for this hash only. */
  readonly hash: string;
  /** Path of the file that defines the server. */
  readonly file: string;
  /** Line of the definition in {@link file}, from 1; undefined if the format has no line numbers. */
  readonly line: number | undefined;
  /** The definition as written, variables unexpanded. Untrusted text: escape it with `escapeText` before showing it. */
  readonly definition: ServerConfig;
  /** Absolute path of the program if `command` is a path; undefined for a name that is looked up on the `PATH`. */
  readonly program: string | undefined;
  /** Folder in which the program would start; undefined for a remote server, and if `cwd` contains a variable. */
  readonly folder: string | undefined;
  /** Variables of the user's environment that the server would receive. Their values have not been read. */
  readonly variables: readonly {
    /** Name of the variable. `*` stands for the whole environment (`inheritEnv: 'all'`). */
    readonly name: string;
    /** Paths of the fields that use it, such as `headers.Authorization` or `args[0]`. */
    readonly fields: readonly string[];
  }[];
  /** Reasons to look twice, such as a shell as `command`. Each is one sentence and safe to print. */
  readonly warnings: readonly string[];
  /** True if another definition of this name was approved before. */
  readonly changed: boolean;
  /** True if the user's settings list this name as wanted without naming the project. It approves nothing. */
  readonly preselected: boolean;
  /** True if the user has signed in at the server's URL before ({@link LoadConfigOptions.hasSignIn}). */
  readonly hasSignIn: boolean;
  /**
   * The whole question as text that is safe to print in a terminal: the command and every field, nothing truncated.
   * The text begins with what it contains and how many lines it has.
   */
  readonly text: string;
  /** {@link text}, followed by the definition as JSON and its hash. Safe to print. */
  readonly details: string;
}

/**
 * An answer to an {@link ApprovalRequest}. `once` and `no` last until the process exits. `always` applies to this
 * definition, `never` to this name in this project, whatever its definition. `details` asks again with
 * {@link ApprovalRequest.details} to show.
 */
export type ApprovalAnswer = 'once' | 'always' | 'no' | 'never' | 'details';
