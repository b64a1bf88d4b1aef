import type { ServerConfig } from '@mcp-fittings/client-core';
import { jsonCopy, type JsonValue } from '../jsonc/json-value.js';
import { ALL_VARIABLES } from '../variables/syntax.js';
import { fieldPath, quoteText } from '../display-text.js';
import type { ApprovalRequest } from './approval-request.js';
import { warningsFor } from './warnings.js';

type Asked = Omit<ApprovalRequest, 'summary' | 'details'>;

/** A question with more lines than a terminal shows at once says its length again where it ends. */
const SCREEN = 24;

/**
 * The question with the whole definition: first how long it is, the program or the address, and the reasons for a second
 * look; then each argument on its own line and every other field. Each text is in quotes, with everything that a terminal
 * would act on written as an escape; nothing is cut.
 */
export function promptSummary(asked: Asked): string {
  const { definition, changed, file, line } = asked;
  const { command, url, args, ...others } = definition;
  const list: readonly JsonValue[] = Array.isArray(args) ? args : [];
  const fields = [...leaves(others)];
  const head = [
    `The project ${quoteText(asked.project.root)} brings the MCP server ${quoteText(asked.name)}.`,
    `It is defined in ${quoteText(file)}${line === undefined ? '' : `, line ${String(line)}`}.`,
  ];
  const body: string[] = [];
  if (changed) body.push('You approved a server of this name before; its definition has changed since.');
  if (asked.preselected) body.push('Your settings list a server of this name as wanted, for any project.');
  if (command !== undefined) body.push(...programLines(asked, command));
  else body.push('It would send what the tools are given to this server:');
  if (url !== undefined) body.push(`  url = ${quoteValue(url)}`);
  if (asked.hasSignIn) body.push('You have signed in at this address before.');
  body.push(...asked.warnings.map((warning) => `Careful: ${warning}`), ...variableLines(asked));
  if (list.length > 0) body.push(`It would get ${counted(list.length, 'argument')}:`);
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
    ...(long ? [`This is the end of a text of ${total}. Read it from its beginning.`] : []),
  ].join('\n');
}

/** A definition that nobody asks about, whole: where it comes from, reasons for a second look, and every field. */
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

/** The summary, the definition as JSON, and what identifies it. */
export function promptDetails(asked: Asked): string {
  const definition = quoteJson(asked.definition, '');
  return `${promptSummary(asked)}\n\nDefinition:\n${definition}\nSHA-256: ${asked.hash}`;
}

function* programLines({ program, folder }: Asked, command: JsonValue): Generator<string> {
  yield 'It would run this program with your rights:';
  if (program === undefined) yield `  ${quoteValue(command)}`;
  else yield `  ${quoteText(program)}${program === command ? '' : `, written as ${quoteValue(command)}`}`;
  if (folder !== undefined) yield `It would start in the folder ${quoteText(folder)}.`;
}

function* variableLines({ variables }: Asked): Generator<string> {
  if (variables.length > 0) yield 'It would be given these variables of your environment:';
  for (const { name, fields } of variables) {
    yield `  ${name === ALL_VARIABLES ? 'every one' : quoteName(name)} in ${fields.join(', ')}`;
  }
}

/** A name as a shell allows it stands alone; any other one is a text like the others. */
function quoteName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteText(name);
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A value may take several lines. */
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
