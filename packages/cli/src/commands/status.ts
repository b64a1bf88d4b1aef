import { abortable } from '@mcp-fittings/toolbox/timing';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { openSession } from '../session/open-session.js';
import { refuseUnknown } from '../session/resolve-server.js';
import { configurationExit, noServersText, noteProblems } from './config-notes.js';
import { onChange } from './connect.js';
import { type ServerRow, serverRows } from './status-rows.js';
import { statusLines, statusValue } from './status-table.js';
import { watchStatus } from './watch-status.js';

export interface StatusOptions {
  readonly watch: boolean;
}

export async function status(
  deps: CommandDeps,
  names: readonly string[],
  { watch }: StatusOptions,
): Promise<void> {
  const { output } = deps;
  await using session = await openSession(deps);
  refuseUnknown(names, session.loaded);
  const wanted = names.length > 0 ? names : undefined;
  if (watch) return await watchStatus(deps, session, wanted);

  const rows = (): readonly ServerRow[] =>
    serverRows(session.loaded, session.host.servers(), wanted, session.loginCommand);
  {
    // The table is shown while servers connect, and then cleared.
    using region = output.openLiveRegion();
    const look = { style: output.noteStyle, redact: output.redact };
    const paint = (): void => region?.paint((columns) => statusLines(rows(), { ...look, columns }));
    using _changes = region && onChange(session.host, paint);
    // The others are shown with the reason why they cannot be used.
    const usable = wanted?.filter((name) => Object.hasOwn(session.loaded.servers, name));
    await abortable(session.connect(usable), deps.signal);
  }
  const found = rows().map(asLastWord);
  noteProblems(session.loaded.problems, output, { tellsErrors: true });
  output.result(statusValue(found, session.loaded.problems), () =>
    found.length === 0 ? noServersText(session.loaded.problems) : statusLines(found, output).join('\n'),
  );
  deps.exitCode = found.every(isFine) ? EXIT.ok : EXIT.failed;
  configurationExit(deps, session.loaded);
}

/** Returns the row of a server that is not waited for any longer: the next attempt will not be made. */
function asLastWord(row: ServerRow): ServerRow {
  const { status: state } = row;
  return state === 'pending' || state === 'connecting'
    ? { ...row, status: 'failed', activity: undefined }
    : row;
}

/** Returns whether a server is connected and all of its lists were read, or is not supposed to be connected. */
function isFine({ status: state, error }: ServerRow): boolean {
  if (state === 'connected') return error === undefined;
  return state === 'disabled' || state === 'rejected' || state === 'disconnected';
}
