import { resolve } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import {
  type InteropClient,
  type LoadedConfig,
  type ServerEntry,
  exportServers,
  exportToFile,
} from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { CommandError } from '../output/hints.js';
import { counted, printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { refuseUnknown } from '../session/resolve-server.js';
import { openWorkspace } from '../session/workspace.js';
import { configurationExit, refuseUnread } from './config-notes.js';

export interface ExportOptions {
  readonly to: InteropClient;
  readonly output?: string;
  /** Exports named servers that are not approved, without a prompt. */
  readonly unapproved: boolean;
}

export async function exportToProgram(
  deps: CommandDeps,
  names: readonly string[],
  { to, output: target, unapproved }: ExportOptions,
): Promise<void> {
  const { output, cwd } = deps;
  if (unapproved && names.length === 0)
    throw new CommandError('ARGUMENTS_INVALID', '--unapproved needs the names of the servers to export.');
  const { loaded } = await openWorkspace(deps, { asks: deps.interactive && names.length > 0 });
  const entries = entriesFor(loaded, names);
  const unread = unreadableServers(loaded, names);
  const { chosen, skipped } = await chooseApproved(deps, entries, names.length > 0, unapproved);
  const servers: Record<string, ServerConfig> = Object.fromEntries(
    chosen.map(({ name, definition = {} }) => [name, definition]),
  );
  const file = target === undefined ? undefined : resolve(cwd, target);
  if (chosen.length + skipped.length + unread.length === 0) refuseUnread(loaded, 'exported');
  const isNothing = chosen.length === 0 && skipped.length > 0;
  const written =
    file === undefined || isNothing
      ? exportServers({ to, servers })
      : await exportToFile(file, { to, servers });
  const { text, exported } = written;
  const failed = [...unread, ...written.failed];
  configurationExit(deps, loaded);

  for (const { name, losses } of exported)
    for (const loss of losses) output.note(output.noteStyle.yellow(`${printable(name)}: ${printable(loss)}`));
  for (const { name, reason } of failed)
    output.note(output.noteStyle.red(`${printable(name)} was not exported: ${printable(reason)}`));
  for (const { name, reason } of skipped)
    output.note(output.noteStyle.yellow(`${printable(name)} was not exported: ${printable(reason)}`));
  if (isNothing) {
    output.result({ to, exported, failed, skipped }, () => 'Nothing was exported.');
    deps.exitCode = EXIT.approval;
    return;
  }
  if (failed.length > 0) deps.exitCode = EXIT.failed;

  if (file !== undefined) {
    output.result(
      { to, file, exported, failed, skipped },
      () => `Wrote ${counted(exported.length, 'server')} to ${printable(file)}.`,
    );
    return;
  }
  if (output.redact(text) !== text)
    output.note(output.noteStyle.yellow('Secrets are not shown; use --output to write them to a file.'));
  output.result({ to, text, exported, failed, skipped }, () => text.trimEnd());
}

/** Returns the definitions as written, with their variables. Of several with one name, the one that is used. */
function entriesFor(loaded: LoadedConfig, names: readonly string[]): readonly ServerEntry[] {
  const { entries } = loaded;
  const counting = entries.filter(
    ({ status, definition }) => status !== 'replaced' && definition !== undefined,
  );
  refuseUnknown(names, loaded);
  // A server of a project that is not used does not stand in the way of the user's own with its name.
  const used = new Set(counting.filter((entry) => !needsApproval(entry)).map(({ name }) => name));
  return counting.filter(
    (entry) =>
      (names.length === 0 || names.includes(entry.name)) && !(needsApproval(entry) && used.has(entry.name)),
  );
}

/** Returns the servers whose definition cannot be read, with the reason. */
function unreadableServers({ entries }: LoadedConfig, names: readonly string[]): readonly SkippedServer[] {
  return entries
    .filter(
      ({ name, definition }) => definition === undefined && (names.length === 0 || names.includes(name)),
    )
    .map(({ name, problems: [problem] }) => ({ name, reason: problem?.message ?? 'It cannot be read.' }));
}

interface SkippedServer {
  readonly name: string;
  readonly reason: string;
}

/**
 * Other programs trust the entries in their files as the user's own. A definition that came with a project is therefore
 * exported only if it is approved, or if it was named and confirmed, or named with `--unapproved`.
 */
async function chooseApproved(
  deps: CommandDeps,
  entries: readonly ServerEntry[],
  named: boolean,
  unapproved: boolean,
): Promise<{ readonly chosen: readonly ServerEntry[]; readonly skipped: readonly SkippedServer[] }> {
  const chosen: ServerEntry[] = [];
  const skipped: SkippedServer[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (!needsApproval(entry) || unapproved) chosen.push(entry);
    else if (!named) {
      const reason = `It came with the project and is not approved. Review it: fittings approve ${name}`;
      skipped.push({ name, reason });
    } else if (await confirm(deps, entry)) chosen.push(entry);
    else skipped.push({ name, reason: 'You declined.' });
  }
  return { chosen, skipped };
}

function needsApproval({ status }: ServerEntry): boolean {
  return status === 'pending' || status === 'rejected';
}

async function confirm(deps: CommandDeps, { name, approval }: ServerEntry): Promise<boolean> {
  if (!deps.interactive) {
    throw new CommandError('APPROVAL_REQUIRED', `The server "${printable(name)}" is not approved.`, {
      server: name,
      hint: `Review it: fittings approve ${name}. To export it as it is, add --unapproved.`,
    });
  }
  const prompts = await openPrompts(deps);
  if (approval !== undefined) prompts.tell(approval.text);
  return prompts.confirm(`${printable(name)} is not approved. Export it anyway?`, false);
}
