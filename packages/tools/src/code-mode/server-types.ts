import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { JsonObject } from '../json/copy-json.js';
import { listedTwice, nameProblem } from '../model-tools/offered-tools.js';
import { freeName, hashPair } from '../names/keys.js';
import type { SchemaDifference } from '../schema/schema-differences.js';
import { acceptSchemas, type SchemaLimits } from '../schema/schema-limits.js';
import { createIdentifiers, FUNCTION_NAMES, pascalCase, upperFirst } from './identifiers.js';
import { Printer, TypeTooLong } from './print-type.js';
import { ANY_OBJECT, schemaType, type SchemaType } from './schema-to-type.js';
import { commentLines, docComment, isText, propertyName, schemaComment } from './source-text.js';
import { UNKNOWN, type Definition, type TypeNode } from './type-node.js';

/** A tool as its server describes it. `CatalogTool` of `@mcp-fittings/host` is one. */
export interface DescribedTool {
  /** Name of the server in the host. */
  readonly server: string;
  /** Name of the tool on its server. */
  readonly name: string;
  /** Title for people. Default none. */
  readonly title?: string | undefined;
  /** Describes what the tool does. Default none. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly inputSchema: unknown;
  /** JSON Schema of the structured content. Default: the result is content blocks. */
  readonly outputSchema?: unknown;
}

export interface ServerTypesOptions {
  readonly closed: boolean;
  readonly schemaLimits: Partial<SchemaLimits>;
  readonly indent: string;
  /** Written before each type that is not in a namespace. */
  readonly exported: string;
  /** Name of the interface with the functions. */
  readonly interfaceName: string;
  readonly interfaceComment: string;
  /** Type of a result without an output schema. */
  readonly resultType: string;
  /** Names that mean something else in the file. */
  readonly reserved: readonly string[];
  /** Parameters of each function after the arguments. */
  readonly moreParameters: string;
}

/** The types of the tools of one server as text, and the functions that they declare. */
export interface GeneratedFile {
  /** The whole text. */
  readonly text: string;
  /** The functions that stand for tools, ordered by name. */
  readonly functions: readonly {
    /** Name of the function, such as `createIssue`. */
    readonly name: string;
    /** Name of the tool on its server, such as `create_issue`. */
    readonly tool: string;
    /** True if the function returns the structured content of the result, because the tool has an output schema. */
    readonly structured: boolean;
    /** Places where the types accept more than the schemas, at most 50 each for the input and the output schema. They never accept less. */
    readonly differences: readonly SchemaDifference[];
  }[];
  /** Tools for which there is no function, because one of their schemas exceeds the limits or their name cannot be used. */
  readonly skipped: readonly {
    /** Name of the tool on its server, as it sent it. */
    readonly tool: string;
    /** The reason: `SCHEMA_REFUSED` or `PROTOCOL_VIOLATION`. */
    readonly error: FittingsError;
  }[];
}

type ToolFunction = GeneratedFile['functions'][number];
type ToolWithoutFunction = GeneratedFile['skipped'][number];

/** A longer type is `unknown`. Those of 2319 real tools have at most 79 000 characters. */
const MAX_TYPE_CHARACTERS = 200_000;
/** Types that do not fit into the text of one server any more are `unknown`. */
const MAX_SERVER_CHARACTERS = 20_000_000;
const MAX_TOOLS = 10_000;

/** Writes the types and the functions of the tools of one server, ordered by the names of the functions. */
export function writeServerTypes(
  tools: readonly DescribedTool[],
  options: ServerTypesOptions,
): GeneratedFile {
  const skipped: ToolWithoutFunction[] = [];
  const accepted = new Map<string, AcceptedTool>();
  for (const tool of tools) {
    const ref = { server: tool.server, tool: tool.name };
    try {
      if (accepted.size >= MAX_TOOLS) throw tooMany(tool);
      const problem = accepted.has(tool.name) ? listedTwice(ref) : nameProblem(ref);
      if (problem !== undefined) throw problem;
      const { input, output } = acceptSchemas(tool, options.schemaLimits);
      accepted.set(tool.name, { tool, input: input.schema, output: output?.schema });
    } catch (error) {
      if (!(error instanceof FittingsError)) throw error;
      skipped.push({ tool: tool.name, error });
    }
  }
  const identifiers = createIdentifiers(accepted.keys(), FUNCTION_NAMES);
  const named = Array.from(accepted.values(), (each) => ({
    ...each,
    id: identifiers.get(each.tool.name) ?? '',
  }));
  named.sort((a, b) => (a.id < b.id ? -1 : 1));

  const writer = new ServerWriter(options);
  const functions = named.map((each) => writer.add(each));
  return { text: writer.text(), functions, skipped };
}

interface AcceptedTool {
  readonly tool: DescribedTool;
  readonly input: JsonObject;
  readonly output: JsonObject | undefined;
}

interface WrittenType {
  readonly name: string;
  readonly differences: readonly SchemaDifference[];
}

class ServerWriter {
  readonly #options: ServerTypesOptions;
  readonly #taken: Set<string>;
  #types = '';
  #members = '';

  constructor(options: ServerTypesOptions) {
    this.#options = options;
    this.#taken = new Set([...options.reserved, options.interfaceName]);
  }

  add({ tool, input, output, id }: AcceptedTool & { readonly id: string }): ToolFunction {
    const base = /^\w+$/.test(id) ? upperFirst(id) : `Tool_${hashPair('', tool.name).slice(0, 8)}`;
    const { closed, indent, resultType, moreParameters } = this.#options;
    const args = schemaType(input, { isObject: true, closed });
    const result = output === undefined ? undefined : schemaType(output, { isObject: false, closed });
    const argsWritten = this.#declare(args, `${base}Arguments`, `Arguments of ${propertyName(id)}.`, true);
    const resultWritten =
      result === undefined
        ? { name: resultType, differences: [] }
        : this.#declare(result, `${base}Result`, `Result of ${propertyName(id)}.`, false);

    const lines = commentLines([tool.description, tool.title].find((text) => isText(text)) ?? '');
    const named =
      tool.name === id ? [] : [...(lines.length === 0 ? [] : ['']), ...commentLines(`Tool: ${tool.name}`)];
    this.#members += docComment([...lines, ...named], `${indent}  `);
    const mark = acceptsNothing(args.definitions[0].type) ? '?' : '';
    this.#members += `${indent}  ${propertyName(id)}(args${mark}: ${argsWritten.name}${moreParameters}): Promise<${resultWritten.name}>;\n`;
    const differences = [...argsWritten.differences, ...resultWritten.differences];
    return { name: id, tool: tool.name, structured: output !== undefined, differences };
  }

  text(): string {
    const { indent, exported, interfaceName, interfaceComment } = this.#options;
    const comment = docComment(commentLines(interfaceComment), indent);
    return `${this.#types}${comment}${indent}${exported}interface ${interfaceName} {\n${this.#members}${indent}}\n`;
  }

  /** Writes the types of one schema and returns the name of the first. */
  #declare(schema: SchemaType, name: string, comment: string, isInput: boolean): WrittenType {
    const [root, ...others] = schema.definitions;
    root.name = freeName(name, this.#taken);
    for (const definition of others)
      definition.name = freeName(name + definitionName(definition), this.#taken);
    const { indent } = this.#options;
    let { differences } = schema;
    let text: string;
    try {
      text =
        this.#declaration(root, docComment([comment], indent), isInput) +
        others.map((each) => this.#declaration(each, definitionComment(each, indent), isInput)).join('');
      if (text.length > MAX_TYPE_CHARACTERS || this.#types.length + text.length > MAX_SERVER_CHARACTERS)
        throw new TypeTooLong();
    } catch (error) {
      if (!(error instanceof TypeTooLong)) throw error;
      root.type = isInput ? ANY_OBJECT : UNKNOWN;
      differences = [{ keyword: '$schema', pointer: '', reason: 'the type would be too long' }];
      text = this.#declaration(root, docComment([`${comment} The type would be too long.`], indent), isInput);
    }
    this.#types += text;
    return { name: root.name, differences };
  }

  #declaration(definition: Definition, comment: string, isInput: boolean): string {
    const { indent, exported } = this.#options;
    const printer = new Printer({ readonlyArrays: isInput, maxCharacters: MAX_TYPE_CHARACTERS });
    const type = printer.print(definition.type, indent);
    return `${comment}${indent}${exported}type ${definition.name} =${type.startsWith('\n') ? '' : ' '}${type};\n`;
  }
}

function definitionName({ pointer }: Definition): string {
  return pointer === '' ? 'Root' : pascalCase(pointer.slice(pointer.lastIndexOf('/') + 1)) || 'Part';
}

function definitionComment({ schema }: Definition, indent: string): string {
  return schema === undefined ? '' : docComment(schemaComment(schema), indent);
}

/** Returns whether a call without arguments is valid. */
function acceptsNothing(type: TypeNode): boolean {
  return type.kind === 'object' && type.properties.every(({ optional }) => optional);
}

function tooMany({ server }: DescribedTool): FittingsError {
  return new FittingsError(
    'SCHEMA_REFUSED',
    `The server "${sanitizeText(server, { maxLength: 128 })}" lists more than ${MAX_TOOLS} tools.`,
    {
      server,
    },
  );
}
