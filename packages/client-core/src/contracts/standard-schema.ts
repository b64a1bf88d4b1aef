/**
 * The common interface of validators (Zod, Valibot, ArkType, …), copied as its authors recommend, so that there is no
 * dependency.
 * @see https://standardschema.dev
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The validator. */
  readonly '~standard': StandardSchemaProps<Input, Output>;
}

/** The members of a {@link StandardSchemaV1}. */
export interface StandardSchemaProps<Input, Output> {
  /** Version of the standard. */
  readonly version: 1;
  /** Name of the validator library. */
  readonly vendor: string;
  /** Validates a value. Does not throw for an invalid one. */
  readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  /** The types of input and output, for inference only. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Returns the JSON Schema of the input, if the validator supports it. @see https://standardschema.dev/json-schema */
  readonly jsonSchema?:
    { readonly input: (options: { readonly target: string }) => Record<string, unknown> } | undefined;
}

/** The validated value, or the reasons why the value is invalid. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One reason why a value is invalid. */
export interface StandardSchemaIssue {
  /** Describes the problem. */
  readonly message: string;
  /** Path within the value, from the outside in. Absent for the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
