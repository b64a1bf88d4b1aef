import { printable } from '../output/printable.js';
import type { Style } from '../output/style.js';
import { type Column, fittingColumns, tableLines } from '../output/table.js';
import { fitWidth, wrapWords } from '../output/text-width.js';
import { noServersText } from './config-notes.js';
import type { ServerRow } from './status-rows.js';

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'server' },
  { title: 'transport', leaveOut: 1 },
  { title: 'state' },
  { title: 'tools', align: 'right' },
  { title: 'prompts', align: 'right' },
  { title: 'resources', align: 'right' },
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

const ERRORED = new Set(['failed', 'needs-auth', 'needs-approval', 'invalid', 'denied']);

function totalsOf(rows: readonly ServerRow[]): Totals {
  return {
    servers: rows.length,
    connected: rows.filter(({ status }) => status === 'connected').length,
    waiting: rows.filter(({ status }) => status === 'pending' || status === 'connecting').length,
    errored: rows.filter(({ status }) => ERRORED.has(status)).length,
    tools: rows.reduce((sum, { tools }) => sum + tools, 0),
  };
}

/** Formats the status of all servers: a table, the reasons below it, and totals. */
export function statusLines(rows: readonly ServerRow[], style: Style, columns?: number): readonly string[] {
  if (rows.length === 0) return [noServersText([])];
  const fitting = fittingColumns(
    COLUMNS,
    rows.map((row) => cells(row, style)),
    columns,
  );
  const table = tableLines(fitting.columns, fitting.rows, style.bold);
  const reasons = rows.flatMap((row) => reasonOf(row, style));
  const fit = (line: string): string => (columns === undefined ? line : fitWidth(line, columns));
  return [
    ...table.map(fit),
    ...(reasons.length > 0 ? ['', ...reasons.map((reason) => wrapWords(reason, columns))] : []),
    '',
    wrapWords(totalsLine(totalsOf(rows), style), columns),
  ];
}

function cells(row: ServerRow, style: Style): readonly string[] {
  const connected = row.status === 'connected';
  const count = (value: number): string => (connected || value > 0 ? String(value) : style.dim('–'));
  const [mark, paint] = appearanceOf(row.status, style);
  const activity = row.activity === undefined ? '' : style.dim(` (${row.activity})`);
  return [
    paint(mark),
    printable(row.name),
    printable(row.type ?? '', 20),
    paint(stateText(row.status)) + activity,
    count(row.tools),
    count(row.prompts),
    count(row.resources + row.resourceTemplates),
  ];
}

function appearanceOf(status: string, style: Style): readonly [string, (text: string) => string] {
  switch (status) {
    case 'connected':
      return ['●', style.green];
    case 'failed':
    case 'invalid':
    case 'denied':
      return ['✗', style.red];
    case 'needs-auth':
    case 'needs-approval':
      return ['!', style.yellow];
    case 'connecting':
    case 'pending':
    case 'disconnecting':
      return ['◌', style.cyan];
    default:
      return ['○', style.dim];
  }
}

function stateText(status: string): string {
  switch (status) {
    case 'needs-auth':
      return 'needs sign-in';
    case 'needs-approval':
      return 'needs approval';
    default:
      return status;
  }
}

/** Formats why a server is not usable and what to do, on one line. */
export function reasonOf({ name, status, error, fix }: ServerRow, style: Style): readonly string[] {
  const server = printable(name);
  if (status === 'needs-auth')
    return [`${style.yellow(server)}: sign in with ${style.bold(fix ?? `fittings login ${server}`)}`];
  if (status === 'needs-approval')
    return [`${style.yellow(server)}: review it with ${style.bold(`fittings approve ${server}`)}`];
  if (error === undefined) return [];
  const hint = error.hint === undefined ? '' : ` ${style.dim(printable(error.hint))}`;
  const paint = ERRORED.has(status) || status === 'connected' ? style.red : style.dim;
  const message = printable(error.message);
  // Most messages name the server themselves.
  const subject = message.includes(`"${server}"`) ? '' : `${server}: `;
  return [`${paint(`${subject}${message}`)}${hint}`];
}

function totalsLine({ servers, connected, waiting, errored, tools }: Totals, style: Style): string {
  const parts = [
    `${servers} ${servers === 1 ? 'server' : 'servers'}`,
    style.green(`${connected} connected`),
    ...(waiting > 0 ? [style.yellow(`${waiting} not answering yet`)] : []),
    ...(errored > 0 ? [style.red(`${errored} not usable`)] : []),
    `${tools} ${tools === 1 ? 'tool' : 'tools'}`,
  ];
  return parts.join(', ');
}

/** Returns the status for `--json`. */
export function statusValue(rows: readonly ServerRow[], problems: readonly unknown[]): object {
  return { servers: rows, totals: totalsOf(rows), problems };
}
