import type { JsonObject } from '../jsonc/json-value.js';

/** A variable and the fields that use it. */
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
  /** Variables of the person's environment that it would read. Not read so far. */
  readonly variables: readonly VariableUse[];
  /** Reasons for a second look, fit to show. */
  readonly warnings: readonly string[];
  /** Another definition of this name was approved before. */
  readonly changed: boolean;
  /** The question as text, fit for a terminal: the whole command and every field, nothing cut. */
  readonly summary: string;
  /** The same with the definition as JSON and its hash. */
  readonly details: string;
}

/** `once` and `no` hold for this run, `always` for this definition, `never` for this name in this project. */
export type ApprovalDecision = 'once' | 'always' | 'no' | 'never';

/** `details`: ask again, with {@link ApprovalRequest.details} shown. */
export type ApprovalAnswer = ApprovalDecision | 'details';
