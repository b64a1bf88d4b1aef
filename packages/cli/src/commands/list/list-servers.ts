import type { LoadedConfig } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { loadServers } from '../../composition/load-servers.js';
import { secretsIn } from '../../composition/secrets.js';
import { shown } from '../../output/shown.js';
import { tableLines } from '../../output/table.js';
import { configurationExit, noteProblems } from '../note-problems.js';
import { sessionOptions } from '../open-session.js';
import { serverRows, type ServerRow } from '../status/server-row.js';

/** Prints which servers are configured, and where, without connecting to any of them. */
export async function listServers(context: CommandContext, names: readonly string[]): Promise<void> {
  const { output } = context;
  const { loaded } = await loadServers(sessionOptions(context));
  output.hide(secretsIn(loaded));
  noteProblems(loaded.problems, output);
  const rows = serverRows(loaded, [])
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map((row) => ({ row, state: stateOf(row, loaded) }));
  const servers = rows.map(({ row: { name, type, scope, file }, state }) => ({
    name,
    type,
    scope,
    file,
    state,
  }));
  output.result({ servers, problems: loaded.problems }, () =>
    rows.length === 0
      ? output.style.dim('No servers are configured. Add one: fittings add --help')
      : serverTable(rows, context).join('\n'),
  );
  configurationExit(context, loaded);
}

interface StatedRow {
  readonly row: ServerRow;
  readonly state: string;
}

function serverTable(rows: readonly StatedRow[], { output }: CommandContext): readonly string[] {
  const columns = ['server', 'transport', 'scope', 'state', 'file'].map((title) => ({ title }));
  const cells = rows.map(({ row, state }) => [
    shown(row.name),
    shown(row.type ?? '', 20),
    row.scope ?? '',
    state,
    shown(row.file ?? ''),
  ]);
  return tableLines(columns, cells, output.style.bold);
}

/** What the configuration says of a server; whether it works is for `fittings status` to find out. */
function stateOf({ name, status }: ServerRow, { servers }: LoadedConfig): string {
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (config === undefined) return status.replace('-', ' ');
  return config.disabled === true ? 'disabled' : 'ready';
}
