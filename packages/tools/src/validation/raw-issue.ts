/** An issue as Zod reports it, as far as we read it. */
export interface RawIssue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly [fact: string]: unknown;
}

/** Something in a value that its schema forbids; fit to show to a model or a person. */
export interface SchemaIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
