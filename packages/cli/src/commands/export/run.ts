import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { exportServers, type LoadedConfig, type ServerEntry } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { EXIT } from '../../exit-codes.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import { openWorkspace } from '../editor.js';
import type { ExportOptions } from './command.js';

export async function exportOut(
  context: CommandContext,
  names: readonly string[],
  { to, output: target, unapproved }: ExportOptions,
): Promise<void> {
  const { output, cwd } = context;
  if (unapproved && names.length === 0)
    throw new FittingsError('ARGUMENTS_INVALID', '--unapproved needs the names of the servers to export.');
  const { loaded } = await openWorkspace(context, { asks: context.interactive && names.length > 0 });
  const entries = entriesFor(loaded, names);
  const { chosen, skipped } = await chooseApproved(context, entries, names.length > 0, unapproved);
  const servers: Record<string, ServerConfig> = Object.fromEntries(
    chosen.map(({ name, definition = {} }) => [name, definition]),
  );
  const file = target === undefined ? undefined : resolve(cwd, target);
  const into = file === undefined ? undefined : await present(file);
  const { text, exported, failed } = exportServers({ to, servers, ...(into !== undefined && { into }) });

  for (const { name, losses } of exported)
    for (const loss of losses) output.note(output.noteStyle.yellow(`${shown(name)}: ${shown(loss)}`));
  for (const { name, reason } of failed)
    output.note(output.noteStyle.red(`${shown(name)} was not exported: ${shown(reason)}`));
  for (const { name, reason } of skipped)
    output.note(output.noteStyle.yellow(`${shown(name)}: ${shown(reason)}`));
  if (chosen.length === 0 && skipped.length > 0) {
    output.result({ to, exported, failed, skipped }, () => 'Nothing was exported.');
    context.setExitCode(EXIT.approval);
    return;
  }
  if (failed.length > 0) context.setExitCode(EXIT.failed);

  if (file !== undefined) {
    await replaceFile(file, text);
    output.result(
      { to, file, exported, failed, skipped },
      () => `Wrote ${exported.length} ${exported.length === 1 ? 'server' : 'servers'} to ${shown(file)}.`,
    );
    return;
  }
  if (output.redact(text) !== text)
    output.note(output.noteStyle.yellow('Secrets are not shown; use --output to write them to a file.'));
  output.result({ to, text, exported, failed, skipped }, () => text.trimEnd());
}

/** As written, with their variables; of several definitions of a name the one that counts. */
function entriesFor({ entries }: LoadedConfig, names: readonly string[]): readonly ServerEntry[] {
  const counting = entries.filter(
    ({ status, definition }) => status !== 'replaced' && definition !== undefined,
  );
  const unknown = names.filter((name) => !counting.some((entry) => entry.name === name));
  if (unknown.length > 0) {
    throw new FittingsError('SERVER_UNKNOWN', `No server is named "${shown(unknown.join('", "'))}".`, {
      hint: `Configured servers: ${[...new Set(counting.map(({ name }) => name))].join(', ') || 'none'}.`,
    });
  }
  return counting.filter(({ name }) => names.length === 0 || names.includes(name));
}

interface SkippedServer {
  readonly name: string;
  readonly reason: string;
}

/**
 * In the file of another program an entry counts as the user's own there, so that a definition which came with a project
 * is exported only once the user has seen it: it is approved, or it was named and confirmed, or named with `--unapproved`.
 */
async function chooseApproved(
  context: CommandContext,
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
      const reason = `Not exported: it came with the project and is not approved. Review it: fittings approve ${name}`;
      skipped.push({ name, reason });
    } else if (await confirm(context, entry)) chosen.push(entry);
    else skipped.push({ name, reason: 'Not exported.' });
  }
  return { chosen, skipped };
}

function needsApproval({ status }: ServerEntry): boolean {
  return status === 'pending' || status === 'rejected';
}

async function confirm(context: CommandContext, { name, approval }: ServerEntry): Promise<boolean> {
  if (!context.interactive) {
    throw new FittingsError('APPROVAL_REQUIRED', `The server "${shown(name)}" is not approved.`, {
      server: name,
      hint: `Review it: fittings approve ${name}. To export it as it is, add --unapproved.`,
    });
  }
  const prompts = await openPrompts(context);
  if (approval !== undefined) prompts.tell(approval.summary);
  return prompts.confirm(`${shown(name)} is not approved. Export it anyway?`, false);
}

async function present(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new FittingsError('CONFIG_INVALID', `Cannot read the file ${shown(file)}.`, { cause });
  }
}

/** Whole or not at all; a new file is the person's alone, because definitions may hold secrets. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const mode = await stat(file).then(
      (facts) => facts.mode & 0o777,
      () => 0o600,
    );
    await writeFile(temporary, text, { mode, flag: 'wx' });
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new FittingsError('CONFIG_READ_ONLY', `Cannot write the file ${shown(file)}.`, { cause });
  }
}
