/** The type of both SDKs, repeated here so that this file imports neither of them. */
type ValidatorVerdict<T> =
  { valid: true; data: T; errorMessage: undefined } | { valid: false; data: undefined; errorMessage: string };

/**
 * Replaces the validator of an SDK, because compiling a hostile schema, or matching a hostile `pattern`, would block the
 * process. `@mcp-fittings/tools` validates structured content within a budget.
 */
export const acceptAnything = {
  getValidator<T>() {
    return (input: unknown): ValidatorVerdict<T> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK's interface lets the caller choose the type
      const data = input as T;
      return { valid: true, data, errorMessage: undefined };
    };
  },
};
