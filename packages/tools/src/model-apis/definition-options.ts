import type { SchemaDifference } from '../schema/schema-differences.js';

/** Options of the functions that convert tools for a model API. */
export interface DefinitionOptions {
  /**
   * Called for each place where the definition for this API accepts or rejects other arguments than `inputSchema` of the tool,
   * because this API refuses a keyword that others accept. `repairs` of the tool has the places that differ for every API.
   */
  readonly onDifference?:
    | ((
        difference: SchemaDifference & {
          /** The name of the tool. */
          readonly name: string;
        },
      ) => void)
    | undefined;
}
