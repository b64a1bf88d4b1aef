import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { CatalogueTool, ToolRef } from '@mcp-fittings/host';
import { modelSchema, type ModelSchema, type ModelSchemaConversion } from './definitions/model-schema.js';
import { originalArguments } from './definitions/original-arguments.js';
import { createShownNames, type ShownNames } from './definitions/shown-names.js';
import { admit } from './schema/admit.js';
import { convertAdmitted, type ConvertedSchema } from './schema/convert.js';
import type { SchemaLoss } from './schema/loss.js';
import type { JsonObject } from './schema/plain-copy.js';
import { createReferences, type References } from './schema/references.js';
import type { SchemaLimits } from './schema/schema-limits.js';
import { traitsOf, type ToolTraits } from './traits.js';

/** A tool of a server, made ready for a model. */
export interface ModelTool {
  /** As the model calls it. */
  readonly name: string;
  /** What the name stands for. */
  readonly ref: ToolRef;
  /** One line for a person, free of control sequences. */
  readonly title: string;
  /** For the model, free of control sequences, at most 10 000 characters. */
  readonly description: string;
  /**
   * For the model: the server's own schema, its texts free of control sequences, repaired where model APIs would refuse
   * the whole request. Properties with names that they do not take have others: see {@link originalArguments}.
   */
  readonly inputSchema: ModelSchema;
  /** Where `inputSchema` says something else than the server's schema, at most 50 places. */
  readonly repairs: readonly SchemaLoss[];
  /**
   * Arguments as the server names them, for arguments as {@link inputSchema} names them. `call` does that by itself.
   * Throws `ARGUMENTS_INVALID` when they are too large for the schema.
   */
  originalArguments(args: JsonObject): JsonObject;
  readonly traits: ToolTraits;
  /** The arguments as Zod schema, with what is not checked. */
  readonly input: ConvertedSchema;
  /** The structured content as Zod schema, where the server describes it. */
  readonly output: ConvertedSchema | undefined;
  /** What the server said, unchanged: never show it as it is. */
  readonly definition: CatalogueTool;
}

/** What is the same under every name. Schemas are converted when they are needed first. */
export type PreparedTool = Omit<ModelTool, 'name'> & { readonly cost: ToolCost };

const LONGEST_DESCRIPTION = 10_000;
const LONGEST_TITLE = 120;

/** What a tool adds to the list of its server. */
export interface ToolCost {
  readonly nodes: number;
  readonly characters: number;
}

/** Throws `SCHEMA_REFUSED` when one of the schemas is not acceptable. */
export function prepareTool(tool: CatalogueTool, limits: Partial<SchemaLimits>): PreparedTool {
  const input = admit(tool.inputSchema, limits);
  const output = tool.outputSchema === undefined ? undefined : admit(tool.outputSchema, limits);
  const cost = {
    nodes: input.nodes + (output?.nodes ?? 0),
    characters: input.characters + (output?.characters ?? 0),
  };
  return new Prepared(tool, cost, input.schema, output?.schema);
}

/** The tool under this name. */
export function nameTool(prepared: PreparedTool, name: string): ModelTool {
  const { ref, title, description, traits, definition } = prepared;
  return {
    name,
    ref,
    title,
    description,
    traits,
    definition,
    originalArguments: (args) => prepared.originalArguments(args),
    get inputSchema() {
      return prepared.inputSchema;
    },
    get repairs() {
      return prepared.repairs;
    },
    get input() {
      return prepared.input;
    },
    get output() {
      return prepared.output;
    },
  };
}

class Prepared implements PreparedTool {
  readonly definition: CatalogueTool;
  readonly ref: ToolRef;
  readonly title: string;
  readonly description: string;
  readonly traits: ToolTraits;
  readonly #input: JsonObject;
  readonly #output: JsonObject | undefined;
  readonly cost: ToolCost;
  #forModel: ModelSchemaConversion | undefined;
  #names: ShownNames | undefined;
  #references: References | undefined;
  #convertedInput: ConvertedSchema | undefined;
  #convertedOutput: ConvertedSchema | undefined;

  constructor(tool: CatalogueTool, cost: ToolCost, input: JsonObject, output: JsonObject | undefined) {
    const { title, description } = tool;
    const heading = [title, tool.annotations?.title, tool.name].find((text) => isText(text)) ?? '';
    this.definition = tool;
    this.cost = cost;
    this.ref = { server: tool.server, tool: tool.name };
    this.title = sanitizeText(heading, { maxLength: LONGEST_TITLE });
    this.description = isText(description)
      ? sanitizeText(description, { maxLength: LONGEST_DESCRIPTION, multiline: true })
      : this.title;
    this.traits = traitsOf(tool.annotations);
    this.#input = input;
    this.#output = output;
  }

  get inputSchema(): ModelSchema {
    return this.#conversion().schema;
  }

  get repairs(): readonly SchemaLoss[] {
    return this.#conversion().repairs;
  }

  originalArguments(args: JsonObject): JsonObject {
    this.#names ??= createShownNames(this.#input);
    this.#references ??= createReferences(this.#input);
    return originalArguments(args, this.#input, this.#names, this.#references);
  }

  #conversion(): ModelSchemaConversion {
    this.#names ??= createShownNames(this.#input);
    this.#references ??= createReferences(this.#input);
    return (this.#forModel ??= modelSchema(this.#input, this.#names, this.#references));
  }

  get input(): ConvertedSchema {
    return (this.#convertedInput ??= convertAdmitted(this.#input));
  }

  get output(): ConvertedSchema | undefined {
    if (this.#output === undefined) return undefined;
    return (this.#convertedOutput ??= convertAdmitted(this.#output));
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
