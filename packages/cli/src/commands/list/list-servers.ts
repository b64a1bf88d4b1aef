import type { LoadedConfig } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { loadServers } from '../../composition/load-servers.js';
import { secretsIn } from '../../composition/secrets.js';
import { shown } from '../../output/shown.js';
import { fittingColumns, tableLines, type Column } from '../../output/table.js';
import { wrapWords } from '../../output/text-width.js';
import { configurationExit, noServersText, noteProblems } from '../note-problems.js';
import { sessionOptions } from '../open-session.js';
import { serverRows, type ServerRow } from '../status/server-row.js';
import { reasonOf } from '../status/status-report.js';

/** Prints which servers are configured, and where, without connecting to any of them. */
export async function listServers(context: CommandContext, names: readonly string[]): Promise<void> {
  const { output } = context;
  const { loaded } = await loadServers(sessionOptions(context));
  output.hide(secretsIn(loaded));
  noteProblems(loaded.problems, output);
  const rows = serverRows(loaded, [])
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map((row) => ({ row, state: stateOf(row), used: isUsed(row, loaded) }));
  const servers = rows.map(({ row: { name, type, scope, file, error }, state, used }) => ({
    name,
    type,
    scope,
    file,
    state,
    used,
    error,
  }));
  output.result({ servers, problems: loaded.problems }, () =>
    rows.length === 0
      ? output.style.dim(noServersText(loaded.problems))
      : [...serverTable(rows, context), ...reasons(rows, context)].join('\n'),
  );
  configurationExit(context, loaded);
}

const COLUMNS: readonly Column[] = [
  { title: 'server' },
  { title: 'transport', leaveOut: 1 },
  { title: 'scope' },
  { title: 'state' },
  { title: 'file' },
];

interface StatedRow {
  readonly row: ServerRow;
  readonly state: string;
  /** The name of the server stands for this row. */
  readonly used: boolean;
}

function serverTable(rows: readonly StatedRow[], { output }: CommandContext): readonly string[] {
  const cells = rows.map(({ row, state }) => [
    shown(row.name),
    shown(row.type ?? '', 20),
    row.scope ?? '',
    state,
    shown(row.file ?? ''),
  ]);
  const fitting = fittingColumns(COLUMNS, cells, output.columns);
  return tableLines(fitting.columns, fitting.rows, output.style.bold);
}

/** Which of several servers of one name is used, and why others are not. */
function reasons(rows: readonly StatedRow[], { output }: CommandContext): readonly string[] {
  const chosen = rows
    .filter(({ row, used }) => used && rows.some((other) => other.row !== row && other.row.name === row.name))
    .map(({ row }) => `${shown(row.name)}: the server of the scope ${row.scope ?? ''} is used.`);
  const lines = [...chosen, ...rows.flatMap(({ row }) => reasonOf(row, output.style))];
  return lines.length === 0 ? [] : ['', ...lines.map((line) => wrapWords(line, output.columns))];
}

/** What the configuration says of a server; whether it works is for `fittings status` to find out. */
function stateOf({ status }: ServerRow): string {
  return status === 'disconnected' ? 'ready' : status.replace('-', ' ');
}

function isUsed({ name, scope, file }: ServerRow, { entries }: LoadedConfig): boolean {
  return entries.some(
    (entry) =>
      entry.name === name && entry.scope === scope && entry.file === file && entry.status === 'ready',
  );
}
