import type { ServerConfig } from '@mcp-fittings/client-core';
import { fieldPath, quoteText } from '../display-text.js';
import { jsonCopy, type JsonObject, type JsonValue } from '../jsonc/json-value.js';
import { ALL_VARIABLES } from '../variables/syntax.js';
import type { ApprovalRequest } from './approval-request.js';
import { warningsFor } from './warnings.js';

/** A question without its text. The definition is JSON, as it was read from a file. */
type Asked = Omit<ApprovalRequest, 'text' | 'details' | 'definition'> & {
  readonly definition: JsonObject;
};

/** Lines that a terminal shows at once. A longer question repeats its length at the end. */
const SCREEN = 24;

/**
 * The question with the whole definition: first its length, the program or the URL, and the warnings; then every argument on
 * a line of its own and every other field. Strings are quoted and escaped, and nothing is truncated.
 */
export function promptText(asked: Asked): string {
  const { definition, changed, file, line } = asked;
  const { command, url, args, ...others } = definition;
  const list: readonly JsonValue[] = Array.isArray(args) ? args : [];
  const fields = [...leaves(others)];
  const head = [
    `The project ${quoteText(asked.project.root)} defines the MCP server ${quoteText(asked.name)}.`,
    `The definition is in ${quoteText(file)}${line === undefined ? '' : `, line ${String(line)}`}.`,
  ];
  const body: string[] = [];
  if (changed)
    body.push('You approved a server with this name before. Its definition has changed since then.');
  if (asked.preselected) body.push('Your settings list a server with this name as wanted in any project.');
  if (command !== undefined) body.push(...programLines(asked, command));
  else body.push('It would send the arguments of tool calls to this server:');
  if (url !== undefined) body.push(`  url = ${quoteValue(url)}`);
  if (asked.hasSignIn) body.push('You have signed in at this URL before.');
  body.push(...asked.warnings.map((warning) => `Careful: ${warning}`), ...variableLines(asked));
  if (list.length > 0) body.push(`It would receive ${counted(list.length, 'argument')}:`);
  body.push(...list.map((arg) => `    ${quoteValue(arg)}`));
  if (args !== undefined && !Array.isArray(args)) body.push(`  args = ${quoteValue(args)}`);
  if (fields.length > 0) body.push(`It sets ${counted(fields.length, 'other field')}:`);
  body.push(...fields.map(([path, value]) => `  ${path} = ${quoteValue(value)}`));

  const lines = head.length + 1 + linesIn(body);
  const long = lines > SCREEN;
  const total = `${String(lines + (long ? 1 : 0))} lines`;
  const listed = [
    ...(list.length > 0 ? [counted(list.length, 'argument')] : []),
    ...(fields.length > 0 ? [counted(fields.length, 'other field')] : []),
  ];
  return [
    ...head,
    `This text has ${total}.${listed.length === 0 ? '' : ` It lists ${listed.join(' and ')}.`}`,
    ...body,
    ...(long ? [`This is the end of a text of ${total}. Read it from the beginning.`] : []),
  ].join('\n');
}

/**
 * Returns a definition as text that is safe to print in a terminal: where it comes from, warnings, and every field, with
 * nothing truncated. Use it to show an entry that needs no approval, for example before it is imported.
 *
 * @example
 * ```ts
 * const entry = { command: 'npx', args: ['-y', 'weather-mcp'] };
 * console.log(describeServer(entry, { name: 'weather', file: '.mcp.json', line: 3 }));
 * ```
 */
export function describeServer(
  definition: ServerConfig,
  source: { readonly name: string; readonly file: string; readonly line: number | undefined },
): string {
  const { name, file, line } = source;
  const entry = jsonCopy(definition);
  return [
    `${quoteText(name)}, from ${quoteText(file)}${line === undefined ? '' : `, line ${String(line)}`}:`,
    ...warningsFor(entry).map((warning) => `  Careful: ${warning}`),
    ...[...leaves(entry)].map(([path, value]) => `  ${path} = ${quoteValue(value)}`),
  ].join('\n');
}

/** The question, followed by the definition as JSON and its hash. */
export function promptDetails(asked: Asked): string {
  const definition = quoteJson(asked.definition, '');
  return `${promptText(asked)}\n\nDefinition:\n${definition}\nSHA-256: ${asked.hash}`;
}

function* programLines({ program, folder }: Asked, command: JsonValue): Generator<string> {
  yield 'It would run this program with your rights:';
  if (program === undefined) yield `  ${quoteValue(command)}`;
  else yield `  ${quoteText(program)}${program === command ? '' : `, written as ${quoteValue(command)}`}`;
  if (folder !== undefined) yield `It would start in the folder ${quoteText(folder)}.`;
}

function* variableLines({ variables }: Asked): Generator<string> {
  if (variables.length > 0) yield 'It would receive these variables of your environment:';
  for (const { name, fields } of variables) {
    yield `  ${name === ALL_VARIABLES ? 'all of them' : quoteName(name)} in ${fields.join(', ')}`;
  }
}

/** A valid variable name is printed as it is, any other text in quotes. */
function quoteName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteText(name);
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A value may span several lines. */
function linesIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split('\n').length, 0);
}

function* leaves(value: JsonValue, keys: readonly (string | number)[] = []): Generator<[string, JsonValue]> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0 && keys.length > 0) yield [fieldPath(keys), value];
  for (const [key, member] of members)
    yield* leaves(member, [...keys, Array.isArray(value) ? Number(key) : key]);
}

function quoteValue(value: JsonValue): string {
  return typeof value === 'string' ? quoteText(value) : quoteJson(value, '');
}

function quoteJson(value: JsonValue, indent: string): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([key, member]: [string, JsonValue]) =>
      `${inner}${list ? '' : `${quoteText(key)}: `}${quoteJson(member, inner)}`,
  );
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
