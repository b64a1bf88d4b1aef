import { abortable } from '@mcp-fittings/client-core/timing';
import type { CommandContext } from '../../command-context.js';
import type { Session } from '../../composition/session.js';
import { EXIT } from '../../exit-codes.js';
import { createLiveRegion } from '../../output/live-region.js';
import { configurationExit, noServersText, noteProblems } from '../note-problems.js';
import { openSession } from '../open-session.js';
import type { StatusOptions } from './command.js';
import { chosenRows } from './choose-rows.js';
import type { ServerRow } from './server-row.js';
import { statusLines, statusValue } from './status-report.js';
import { watchStatus } from './watch.js';

export async function status(
  context: CommandContext,
  names: readonly string[],
  { watch }: StatusOptions,
): Promise<void> {
  const { output } = context;
  await using session = await openSession(context);
  const wanted = names.length > 0 ? names : undefined;
  if (watch) return await watchStatus(context, session, wanted);

  const rows = (): readonly ServerRow[] =>
    chosenRows(session.loaded, session.host.servers(), wanted, session.loginCommand);
  {
    using _live = showWhileConnecting(context, session, rows);
    await abortable(session.connect(wanted && usableNames(session, wanted)), context.signal);
  }
  const found = rows();
  noteProblems(session.loaded.problems, output);
  output.result(statusValue(found, session.loaded.problems), () =>
    found.length === 0
      ? noServersText(session.loaded.problems)
      : statusLines(found, output.style, output.columns).join('\n'),
  );
  context.setExitCode(found.every(isFine) ? EXIT.ok : EXIT.failed);
  configurationExit(context, session.loaded);
}

/** Those that can be connected at all; the others are shown with the reason. Rejects names that nobody knows. */
function usableNames({ loaded }: Session, names: readonly string[]): readonly string[] {
  const known = new Set(loaded.entries.map(({ name }) => name));
  return names.filter((name) => Object.hasOwn(loaded.servers, name) || !known.has(name));
}

/** Connected, with all of its lists read; or not meant to be connected. */
function isFine({ status: state, error }: ServerRow): boolean {
  if (state === 'connected') return error === undefined;
  return state === 'disabled' || state === 'rejected' || state === 'disconnected';
}

/** The table while it fills, on a terminal; it makes room for the final one. */
function showWhileConnecting(
  { live, output }: CommandContext,
  { host }: Session,
  rows: () => readonly ServerRow[],
): Disposable {
  if (live === undefined || output.json) return { [Symbol.dispose]() {} };
  const region = createLiveRegion(live);
  const paint = (): void =>
    region.paint(statusLines(rows(), output.noteStyle, live.columns()).map((line) => output.redact(line)));
  const subscriptions = [output.keepAbove(region), host.on('state', paint), host.on('catalog', paint)];
  return {
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      region.clear();
    },
  };
}
