import type { JsonObject } from '../jsonc/json-value.js';

/** A variable and the fields that use it. The name `*` stands for every variable (`inheritEnv: 'all'`). */
export interface VariableUse {
  readonly name: string;
  readonly fields: readonly string[];
}

/** What a person is asked to approve: one definition, exactly as it would be used. */
export interface ApprovalRequest {
  readonly name: string;
  readonly project: { readonly id: string; readonly root: string };
  /** Identifies the definition by all of its content; an approval is for this and nothing else. */
  readonly hash: string;
  readonly file: string;
  readonly line: number | undefined;
  /** The definition as it stands in the file, variables unexpanded. Text from a stranger: show it sanitised. */
  readonly definition: JsonObject;
  /** Absolute path of the program where `command` is a path; undefined for a name that is found on the `PATH`. */
  readonly program: string | undefined;
  /** Folder in which the program would start; undefined without a program, or when a variable decides it. */
  readonly folder: string | undefined;
  /** Variables of the person's environment that it would be given. Not read so far. */
  readonly variables: readonly VariableUse[];
  /** Reasons for a second look, fit to show. */
  readonly warnings: readonly string[];
  /** Another definition of this name was approved before. */
  readonly changed: boolean;
  /** The person's own settings name this server as wanted, in a list that is not about this project. */
  readonly preselected: boolean;
  /** The person has signed in at the server's address, as far as the host can tell. */
  readonly hasSignIn: boolean;
  /**
   * The question as text, fit for a terminal: the whole command and every field, nothing cut. It begins with what it
   * holds and how many lines it has.
   */
  readonly summary: string;
  /** The same with the definition as JSON and its hash. */
  readonly details: string;
}

/** `once` and `no` hold for this run, `always` for this definition, `never` for this name in this project. */
export type ApprovalDecision = 'once' | 'always' | 'no' | 'never';

/** `details`: ask again, with {@link ApprovalRequest.details} shown. */
export type ApprovalAnswer = ApprovalDecision | 'details';
