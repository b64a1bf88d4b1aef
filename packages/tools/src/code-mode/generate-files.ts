import { FittingsError } from '@mcp-fittings/client-core';
import { didYouMean, escapeText, matchesWildcard, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { SchemaLimits } from '../schema/schema-limits.js';
import { createIdentifiers, SERVER_NAMES, upperFirst, type NameUse } from './identifiers.js';
import { writeServerTypes, type DescribedTool, type GeneratedFile } from './server-types.js';
import { commentLines, propertyName, stringLiteral } from './source-text.js';
import { describedTools, resultTypes } from './to-typescript.js';

/** Options of {@link generateTypes} and {@link generateClient}. */
export interface GenerateOptions {
  /** Name of the server; the tools of other servers are left out. */
  readonly server: string;
  /** The tools to write, by their names on the server; `*` matches any text. Default: all. */
  readonly tools?: readonly string[] | undefined;
  /** Command that made the file, for its header, without a line break. Default: the name of the function. */
  readonly madeBy?: string | undefined;
  /**
   * If true, a property that a schema does not list is a type error, although the schema allows it. This finds typing mistakes in optional
   * properties. Default false: a type accepts every value that its schema accepts.
   */
  readonly closed?: boolean | undefined;
  /** The largest schema of a tool. A tool with a larger one is in `skipped`. */
  readonly schemaLimits?: Partial<SchemaLimits> | undefined;
  /**
   * Chooses what a client calls tools with: `host` (a host or a dispatcher of `@mcp-fittings/tools`), or the client of an official SDK:
   * `sdk` (`@modelcontextprotocol/sdk`) or `sdk-v2` (`@modelcontextprotocol/client`). Default `host`.
   */
  readonly caller?: 'host' | 'sdk' | 'sdk-v2' | undefined;
}

/** A part of a longer name, which no global has. */
const MODULE_NAMES: NameUse = { ...SERVER_NAMES, allowed: (name) => name };

/** Names that a type of a tool could have, and that mean something else in the file. */
const RESERVED = [
  'ContentBlock',
  'ToolResult',
  'CallToolResult',
  'Client',
  'CallOptions',
  'DispatchOptions',
  'ToolCaller',
];

/**
 * Writes the types of the tools of one server as a module of declarations: a `.d.ts` file that imports nothing.
 * @throws {FittingsError} `SERVER_UNKNOWN` if no tool is of this server, `TOOL_UNKNOWN` if a pattern in `tools` matches none.
 */
export function generateTypes(
  tools: Iterable<DescribedTool>,
  options: Omit<GenerateOptions, 'caller'>,
): GeneratedFile {
  const written = write(tools, options, {
    interfaceSuffix: 'Tools',
    resultType: 'ToolResult',
    moreParameters: '',
  });
  const common = returnsBlocks(written) ? `${resultTypes('', 'export ')}\n` : '';
  return fileOf(written, `${header(options, 'generateTypes()')}\n${common}${written.text}`);
}

/**
 * Writes a typed client for the tools of one server: a `.ts` file for a program, which compiles as it is.
 * @throws {FittingsError} `SERVER_UNKNOWN` if no tool is of this server, `TOOL_UNKNOWN` if a pattern in `tools` matches none.
 */
export function generateClient(tools: Iterable<DescribedTool>, options: GenerateOptions): GeneratedFile {
  const { caller = 'host' } = options;
  const written = write(tools, options, {
    interfaceSuffix: 'Client',
    resultType: caller === 'host' ? 'ToolResult' : 'CallToolResult',
    moreParameters: `, options?: ${caller === 'host' ? 'DispatchOptions' : 'CallOptions'}`,
  });
  const file =
    caller === 'host' ? hostClient(written, options.server) : sdkClient(written, options.server, caller);
  return fileOf(written, `${header(options, 'generateClient()')}\n${file}`);
}

/** The types of the tools of one server, and how the server is called in them. */
interface WrittenServer extends GeneratedFile {
  /** `GithubClient` */
  readonly interfaceName: string;
  /** `createGithubClient` */
  readonly factory: string;
}

function write(
  tools: Iterable<DescribedTool>,
  options: GenerateOptions,
  form: { readonly interfaceSuffix: string; readonly resultType: string; readonly moreParameters: string },
): WrittenServer {
  const { server, closed = false, schemaLimits = {} } = options;
  const own = describedTools(tools).filter((tool) => tool.server === server);
  if (own.length === 0)
    throw new FittingsError('SERVER_UNKNOWN', `There are no tools of a server "${sanitizeText(server)}".`, {
      server,
    });
  const chosen = chooseTools(own, options);
  const base = upperFirst(createIdentifiers([server], MODULE_NAMES).get(server) ?? '');
  const interfaceName = base.endsWith(form.interfaceSuffix) ? base : `${base}${form.interfaceSuffix}`;
  const types = writeServerTypes(chosen, {
    closed,
    schemaLimits,
    indent: '',
    exported: 'export ',
    interfaceName,
    interfaceComment: `Tools of the server ${server}.`,
    resultType: form.resultType,
    reserved: RESERVED,
    moreParameters: form.moreParameters,
  });
  return { ...types, interfaceName, factory: `create${interfaceName}` };
}

/** A pattern that matches nothing is a mistake, and would be found when a function is missing. */
function chooseTools(tools: readonly DescribedTool[], { server, tools: patterns = [] }: GenerateOptions) {
  if (patterns.length === 0) return tools;
  for (const pattern of patterns) {
    if (tools.some(({ name }) => matchesWildcard(name, pattern))) continue;
    const names = tools.map(({ name }) => sanitizeText(name));
    throw new FittingsError(
      'TOOL_UNKNOWN',
      `No tool of the server "${sanitizeText(server)}" matches "${sanitizeText(pattern)}".`,
      { server, hint: didYouMean(pattern, names, '') || undefined },
    );
  }
  return tools.filter(({ name }) => patterns.some((pattern) => matchesWildcard(name, pattern)));
}

const fileOf = ({ functions, skipped }: GeneratedFile, text: string): GeneratedFile => ({
  text,
  functions,
  skipped,
});

const header = ({ madeBy }: GenerateOptions, otherwise: string): string =>
  `// Generated by ${escapeText(madeBy ?? `${otherwise} of @mcp-fittings/tools`, { maxLength: 500 })}. Do not edit.\n`;

const returnsBlocks = ({ functions }: GeneratedFile): boolean =>
  functions.some(({ structured }) => !structured);

function hostClient(written: WrittenServer, server: string): string {
  const { text, functions, interfaceName, factory } = written;
  const members = functions.map(
    ({ name, tool, structured }) =>
      `    ${propertyName(name)}: { tool: ${stringLiteral(tool)}${structured ? ', structured: true' : ''} },\n`,
  );
  return `${returnsBlocks(written) ? "import type { ToolResult } from '@mcp-fittings/host';\n" : ''}import { bindTools, type DispatchOptions, type ToolCaller } from '@mcp-fittings/tools/code-mode';

${text}
/**
 * Calls the tools of a server. Each function rejects with a \`FittingsError\`: \`TOOL_FAILED\` if the tool reports an error.
 * @param caller A host, or \`createToolDispatcher(…)\` for calls that pass a policy.
 * @param server Name of the server in the host.
 */
export function ${factory}(caller: ToolCaller, server = ${stringLiteral(server)}): ${interfaceName} {
  return bindTools<${interfaceName}>(caller, server, {
${members.join('')}  });
}
`;
}

const SDK_IMPORTS = {
  sdk: `import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
`,
  'sdk-v2': `import type { CallToolResult, Client } from '@modelcontextprotocol/client';
`,
};

function sdkClient(written: WrittenServer, server: string, caller: 'sdk' | 'sdk-v2'): string {
  const { text, functions, interfaceName, factory } = written;
  // Version 1 takes a schema of the result before the options.
  const parameters = caller === 'sdk' ? 'undefined, options' : 'options';
  const members = functions.map(
    ({ name, tool, structured }) =>
      `    ${propertyName(name)}: async (args, options) => valueOf(await call(${stringLiteral(tool)}, args, options), ${String(structured)}),\n`,
  );
  return `${SDK_IMPORTS[caller]}
/** Options of a call, such as \`signal\` and \`timeout\`. */
export type CallOptions = NonNullable<Parameters<Client['callTool']>[${caller === 'sdk' ? 2 : 1}]>;

${text}
/** The tool ran, and its result says that it failed. */
export class ToolFailedError extends Error {
  readonly tool: string;
  readonly result: CallToolResult;

  constructor(tool: string, result: CallToolResult) {
    const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\\n');
    super(\`The tool \${JSON.stringify(tool)} failed: \${text}\`);
    this.name = 'ToolFailedError';
    this.tool = tool;
    this.result = result;
  }
}

/**
 * Calls the tools of the server ${commentWord(server)}. Each function rejects with the errors of the client, and with {@link ToolFailedError}
 * if the tool reports an error.
 */
export function ${factory}(client: Client): ${interfaceName} {
  const call = async (name: string, args: unknown, options: CallOptions | undefined): Promise<CallToolResult> => {
    const params = { name, arguments: (args ?? {}) as Record<string, unknown> };
    const result = (await client.callTool(params, ${parameters})) as CallToolResult;
    if (result.isError === true) throw new ToolFailedError(name, result);
    return result;
  };
  // The types of the results are what the server's schemas promise.
  const valueOf = <Value>(result: CallToolResult, structured: boolean): Value => {
    if (!structured) return result as Value;
    if (result.structuredContent !== undefined) return result.structuredContent as Value;
    throw new Error('The result has no structured content, although the tool has an output schema.');
  };
  return {
${members.join('')}  };
}
`;
}

/** Writes a text of a stranger within a line of a comment. */
const commentWord = (text: string): string => commentLines(text).join(' ').slice(0, 200);
