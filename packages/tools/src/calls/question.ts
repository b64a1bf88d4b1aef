import { escapeJson, escapeText } from '@mcp-fittings/client-core/text';
import type { Verdict } from '../permissions/server-permissions.js';
import type { ToolRef } from '@mcp-fittings/host';

/** With what is said about their length, a question about arguments has at most 10 000 characters. */
const LONGEST_ARGUMENTS = 8_000;
const LONGEST_NAME = 200;
/** Up to here a person sees everything at one glance, and no count is needed. */
const SHORT = { characters: 2_000, lines: 20 };
/** Members that are named before a long text. */
const MOST_NAMED = 20;

/** The arguments as a person sees them: escaped, with their length first where they are long. */
export function argumentsText(args: Readonly<Record<string, unknown>>): string {
  const { text, missing } = escapeJson(args, { maxLength: LONGEST_ARGUMENTS });
  const lines = text.split('\n').length;
  if (missing === 0 && lines <= SHORT.lines && text.length <= SHORT.characters) return text;
  const cut = missing === 0 ? '' : ` ${missing} more characters are not shown.`;
  return `[${lines} lines, ${text.length} characters follow.${cut} ${membersOf(args)}]\n${text}`;
}

/** The whole question, with the names that the server uses: its title may say anything. */
export function questionText(question: {
  readonly ref: ToolRef;
  readonly heading: string | undefined;
  readonly argsText: string;
  readonly verdict: Verdict;
}): string {
  const { ref, heading, argsText, verdict } = question;
  const title =
    heading === undefined || heading === ref.tool ? '' : `, which calls itself "${name(heading)}",`;
  return [
    `The tool "${name(ref.tool)}" of the server "${name(ref.server)}"${title} is about to run. ${verdict.reason}`,
    `Arguments: ${argsText}`,
  ].join('\n');
}

function membersOf(args: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(args);
  const named = keys.slice(0, MOST_NAMED).map((key) => `"${escapeText(key, { maxLength: 60 })}"`);
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : '';
  return `Members: ${named.join(', ')}${more}.`;
}

const name = (text: string): string => escapeText(text, { maxLength: LONGEST_NAME });
