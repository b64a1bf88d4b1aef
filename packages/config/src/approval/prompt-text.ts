import type { JsonObject, JsonValue } from '../jsonc/json-value.js';
import { fieldPath } from '../text/field-path.js';
import { visibleText } from '../text/visible-text.js';
import type { VariableUse } from './request.js';
import { warningsFor } from './warnings.js';

export interface PromptFacts {
  readonly name: string;
  readonly root: string;
  readonly hash: string;
  readonly file: string;
  readonly line: number | undefined;
  readonly definition: JsonObject;
  readonly variables: readonly VariableUse[];
  readonly changed: boolean;
}

/**
 * The question with the whole definition: command, each argument on its own line, every other field. Each text is in
 * quotes, with everything that a terminal would act on written as an escape; nothing is cut.
 */
export function summaryText(facts: PromptFacts): string {
  const { definition, variables, changed } = facts;
  const { command, args, ...others } = definition;
  const lines = [
    `The project ${visibleText(facts.root)} brings the MCP server ${visibleText(facts.name)}.`,
    `It is defined in ${visibleText(facts.file)}${facts.line === undefined ? '' : `, line ${String(facts.line)}`}.`,
  ];
  if (changed) lines.push('You approved a server of this name before; its definition has changed since.');
  if (command !== undefined) {
    lines.push('It would run this program with your rights:', `  ${shownValue(command)}`);
    if (Array.isArray(args)) lines.push(...args.map((arg: JsonValue) => `    ${shownValue(arg)}`));
    else if (args !== undefined) lines.push(`    ${shownValue(args)}`);
  } else lines.push('It would send what the tools are given to this server:');
  for (const [path, value] of leaves(others)) lines.push(`  ${path} = ${shownValue(value)}`);
  if (command === undefined && args !== undefined) lines.push(`  args = ${shownValue(args)}`);
  if (variables.length > 0) {
    lines.push('It would be given these variables of your environment:');
    for (const { name, fields } of variables) lines.push(`  ${name} in ${fields.join(', ')}`);
  }
  lines.push(...warningsFor(definition).map((warning) => `Careful: ${warning}`));
  return lines.join('\n');
}

/** The summary, the definition as JSON, and what identifies it. */
export function detailsText(facts: PromptFacts): string {
  const definition = shownJson(facts.definition, '');
  return `${summaryText(facts)}\n\nDefinition:\n${definition}\nSHA-256: ${facts.hash}`;
}

function* leaves(value: JsonValue, keys: readonly (string | number)[] = []): Generator<[string, JsonValue]> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0 && keys.length > 0) yield [fieldPath(keys), value];
  for (const [key, member] of members)
    yield* leaves(member, [...keys, Array.isArray(value) ? Number(key) : key]);
}

function shownValue(value: JsonValue): string {
  return typeof value === 'string' ? visibleText(value) : shownJson(value, '');
}

function shownJson(value: JsonValue, indent: string): string {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([key, member]) => `${inner}${list ? '' : `${visibleText(key)}: `}${shownJson(member, inner)}`,
  );
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
