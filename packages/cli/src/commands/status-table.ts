import { counted, printable } from '../output/printable.js';
import type { Style } from '../output/style.js';
import { type Column, tableLines } from '../output/table.js';
import { wrapWords } from '../output/text-width.js';
import { noServersText } from './config-notes.js';
import { FAILED, type Look, reasonLines, shortReason } from './server-reasons.js';
import type { ServerRow } from './status-rows.js';

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'server', atLeast: 12 },
  { title: 'transport', leaveOut: 1 },
  { title: 'state' },
  { title: 'tools', align: 'right' },
  { title: 'prompts', align: 'right', leaveOut: 2 },
  { title: 'resources', align: 'right', leaveOut: 2 },
];

interface Totals {
  readonly servers: number;
  readonly connected: number;
  /** Servers that are still connecting. */
  readonly waiting: number;
  /** Servers that failed, or that need the user. */
  readonly errored: number;
  readonly tools: number;
}

function totalsOf(rows: readonly ServerRow[]): Totals {
  return {
    servers: rows.length,
    connected: rows.filter(({ status }) => status === 'connected').length,
    waiting: rows.filter(({ status }) => status === 'pending' || status === 'connecting').length,
    errored: rows.filter(({ status }) => FAILED.has(status) || status.startsWith('needs-')).length,
    tools: rows.reduce((sum, { tools }) => sum + tools, 0),
  };
}

/**
 * Formats the status of all servers: a table with a short reason for each that is not connected, more about the reasons below it,
 * and totals.
 */
export function statusLines(rows: readonly ServerRow[], look: Look): readonly string[] {
  if (rows.length === 0) return [noServersText([])];
  const { style, columns: width, redact } = look;
  const table = tableLines(
    COLUMNS,
    rows.map((row) => cells(row, style).map((cell) => redact(cell))),
    { styleTitle: style.bold, width },
  );
  const cut = new Set(rows.filter((_, index) => table[index + 1]?.includes('…')));
  const reasons = reasonLines(rows, look, (row) => row.status !== 'connected' && !cut.has(row));
  return [
    ...table,
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
    ...wrapWords(totalsLine(totalsOf(rows), style), width),
  ];
}

/** Returns the cells of a row. The reason why a server is not connected takes the place of what it offers. */
function cells(row: ServerRow, style: Style): readonly string[] {
  const [mark, color, text = row.status] = APPEARANCES[row.status] ?? ['○', 'dim'];
  const paint = style[color];
  const first = [paint(mark), printable(row.name), printable(row.type ?? '', 20), paint(text)];
  if (row.status === 'connected') {
    const counts = [row.tools, row.prompts, row.resources + row.resourceTemplates];
    return [...first, ...counts.map(String)];
  }
  const reason = [row.activity, shortReason(row)].filter((text) => text !== undefined).join(': ');
  return [...first, row.status.startsWith('needs-') ? reason : style.dim(reason)];
}

/** Mark and color of each state, and its name in the table if that is another one. */
const APPEARANCES: Readonly<Record<string, readonly [mark: string, color: keyof Style, text?: string]>> = {
  connected: ['●', 'green'],
  failed: ['✗', 'red'],
  invalid: ['✗', 'red'],
  denied: ['✗', 'red'],
  'needs-auth': ['!', 'yellow', 'needs sign-in'],
  'needs-approval': ['!', 'yellow', 'needs approval'],
  connecting: ['◌', 'cyan'],
  pending: ['◌', 'cyan'],
  disconnecting: ['◌', 'cyan'],
};

function totalsLine({ servers, connected, waiting, errored, tools }: Totals, style: Style): string {
  const parts = [
    counted(servers, 'server'),
    style.green(`${connected} connected`),
    ...(waiting > 0 ? [style.yellow(`${waiting} not answering yet`)] : []),
    ...(errored > 0 ? [style.red(`${errored} not usable`)] : []),
    counted(tools, 'tool'),
  ];
  return parts.join(', ');
}

/** Returns the status for `--json`. */
export function statusValue(rows: readonly ServerRow[], problems: readonly unknown[]): object {
  return { servers: rows, totals: totalsOf(rows), problems };
}
