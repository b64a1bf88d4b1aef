import { firstLine, printable } from '../output/printable.js';
import type { Style } from '../output/style.js';
import { wrapWords } from '../output/text-width.js';
import { quoted } from '../session/resolve-server.js';
import type { ServerRow } from './status-rows.js';

/** Describes the place that lines are printed to. */
export interface Look {
  readonly style: Style;
  /** Columns of the terminal; undefined if it is not one. */
  readonly columns: number | undefined;
  /** Removes secrets. */
  readonly redact: (text: string) => string;
}

/** Limits how many different reasons are explained below a table. */
const MOST_REASONS = 3;
const MOST_NAMES = 3;
const SHORT = 200;

/** Returns the reason in a few words, for the row of the server; undefined if nothing is wrong. */
export function shortReason({ name, status, error, fix }: ServerRow): string | undefined {
  if (status === 'needs-auth') return `sign in: ${fix ?? `fittings login ${printable(name)}`}`;
  if (status === 'needs-approval') return `review it: fittings approve ${printable(name)}`;
  return error === undefined
    ? undefined
    : firstLine(messageOf(name, error.message), SHORT).replace(/\.$/, '');
}

/**
 * Explains what is wrong with servers and what to do, below a table. Servers with the same reason share a paragraph.
 *
 * @param isTold Returns true if the row of the server shows all of the short reason.
 */
export function reasonLines(
  rows: readonly ServerRow[],
  { style, columns, redact }: Look,
  isTold: (row: ServerRow) => boolean = () => false,
): readonly string[] {
  const groups = new Map<string, ServerRow[]>();
  for (const row of rows) {
    if (reasonText(row, isTold(row), style) === '') continue;
    const { status, error } = row;
    const reason = JSON.stringify([status, error?.code, error?.hint ?? error?.message]);
    groups.set(reason, [...(groups.get(reason) ?? []), row]);
  }
  const all = [...groups.values()];
  const others = all.slice(MOST_REASONS).flat().length;
  const failed = rows.find(({ error, status }) => error !== undefined && FAILED.has(status));
  return [
    ...all.slice(0, MOST_REASONS).map((group) => {
      const texts = new Set(group.map((row) => reasonText(row, isTold(row), style)));
      // The rows show in what they differ.
      const [text = ''] = texts.size > 1 ? group.map((row) => hintText(row, style)) : texts;
      return `${namesText(group, style)}: ${text}`;
    }),
    ...(others === 0
      ? []
      : [`${others} ${others === 1 ? 'server has another reason' : 'servers have other reasons'}.`]),
    ...(failed === undefined
      ? []
      : [style.dim(`Details: fittings doctor ${quoted(printable(failed.name))}`)]),
  ].flatMap((line) => wrapWords(redact(line), columns));
}

/** States of servers that do not work, and that the user has not switched off. */
export const FAILED: ReadonlySet<string> = new Set(['failed', 'invalid', 'denied']);

function reasonText(row: ServerRow, isTold: boolean, style: Style): string {
  const { name, error, status } = row;
  const short = shortReason(row);
  if (status === 'needs-auth' || status === 'needs-approval') return isTold ? '' : (short ?? '');
  if (error === undefined) return '';
  const message = messageOf(name, error.message);
  const rest = isTold ? message.slice(short?.length).replace(/^\.? */, '') : message;
  const hint = hintText(row, style);
  return rest === '' || hint === '' ? rest + hint : `${rest.replace(/\w"?$/, '$&.')} ${hint}`;
}

function hintText({ error }: ServerRow, style: Style): string {
  return error?.hint === undefined ? '' : style.dim(printable(error.hint));
}

/** Returns a message without the name of the server at its beginning. */
function messageOf(name: string, message: string): string {
  const text = printable(message);
  for (const start of [`Server "${name}": `, `The server "${name}" `])
    if (text.startsWith(start)) return text.slice(start.length);
  return text;
}

function namesText(rows: readonly ServerRow[], style: Style): string {
  const named = rows.slice(0, MOST_NAMES).map(({ name }) => printable(name));
  const paint = rows.some(({ status }) => FAILED.has(status)) ? style.red : style.yellow;
  const others = rows.length - named.length;
  return paint(`${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`);
}
