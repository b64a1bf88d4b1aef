import type { LoadedConfig } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { noteUnreadFiles } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { type Column, tableLines } from '../output/table.js';
import { wrapWords } from '../output/text-width.js';
import { loadForCommand } from '../session/open-session.js';
import { refuseRemoteOptions, refuseUnknown } from '../session/resolve-server.js';
import { configSecrets } from '../session/secrets.js';
import { configurationExit, noServersText, noteProblems } from './config-notes.js';
import type { ListOptions } from './list.js';
import { reasonLines } from './server-reasons.js';
import { type ServerRow, serverRows } from './status-rows.js';

/** Prints which servers are configured, and where. Connects to none of them. */
export async function listServers(
  deps: CommandDeps,
  names: readonly string[],
  options: ListOptions,
): Promise<void> {
  if (options.refresh)
    throw new CommandError(
      'ARGUMENTS_INVALID',
      '--refresh does nothing here: list servers connects to no server.',
    );
  refuseRemoteOptions(options);
  const { output } = deps;
  const { loaded } = await loadForCommand(deps);
  output.hide(configSecrets(loaded));
  noteUnreadFiles(loaded.problems, output);
  refuseUnknown(names, loaded);
  noteProblems(loaded.problems, output, { tellsErrors: true });
  const rows = serverRows(loaded, [], names.length === 0 ? undefined : names).map((row) => ({
    ...row,
    state: stateOf(row),
    used: isUsed(row, loaded),
  }));
  const shown = ({ name, type, scope, file, state, used, error }: StatedRow) => {
    return { name, type, scope, file, state, used, error };
  };
  output.result({ servers: rows.map(shown), problems: loaded.problems }, () =>
    rows.length === 0
      ? output.style.dim(noServersText(loaded.problems))
      : [...serverTable(rows, deps), ...reasons(rows, deps)].join('\n'),
  );
  configurationExit(deps, loaded);
}

const COLUMNS: readonly Column[] = [
  { title: 'server', atLeast: 12 },
  { title: 'transport', leaveOut: 1 },
  { title: 'scope' },
  { title: 'state' },
  { title: 'file', leaveOut: 2, atLeast: 16 },
];

interface StatedRow extends ServerRow {
  readonly state: string;
  /** Is true if commands use this definition, of several with one name. */
  readonly used: boolean;
}

function serverTable(rows: readonly StatedRow[], { output }: CommandDeps): readonly string[] {
  const cells = rows.map(({ name, type = '', scope = '', state, file = '' }) => [
    printable(name),
    printable(type, 20),
    scope,
    state,
    printable(file),
  ]);
  return tableLines(COLUMNS, cells, { styleTitle: output.style.bold, width: output.columns });
}

/** Explains which of several servers with one name is used, and why a server is not usable. */
function reasons(rows: readonly StatedRow[], { output }: CommandDeps): readonly string[] {
  const chosen = rows
    .filter((row) => row.used && rows.some((other) => other !== row && other.name === row.name))
    .map(({ name, scope = '' }) => `${printable(name)}: the server of the scope ${scope} is used.`);
  const lines = [...chosen.flatMap((line) => wrapWords(line, output.columns)), ...reasonLines(rows, output)];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Returns what the configuration says about a server. Whether the server works, `fittings status` finds out. */
function stateOf({ status }: ServerRow): string {
  return status === 'disconnected' ? 'ready' : status.replace('-', ' ');
}

function isUsed({ name, scope, file }: ServerRow, { entries }: LoadedConfig): boolean {
  return entries.some(
    (entry) =>
      entry.name === name && entry.scope === scope && entry.file === file && entry.status === 'ready',
  );
}
