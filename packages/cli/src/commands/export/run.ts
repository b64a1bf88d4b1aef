import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { exportServers, type LoadedConfig } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { EXIT } from '../../exit-codes.js';
import { shown } from '../../output/shown.js';
import { openWorkspace } from '../editor.js';
import type { ExportOptions } from './command.js';

export async function exportOut(
  context: CommandContext,
  names: readonly string[],
  { to, output: target }: ExportOptions,
): Promise<void> {
  const { output, cwd } = context;
  const { loaded } = await openWorkspace(context);
  const servers = definitionsOf(loaded, names);
  const file = target === undefined ? undefined : resolve(cwd, target);
  const into = file === undefined ? undefined : await present(file);
  const { text, exported, failed } = exportServers({ to, servers, ...(into !== undefined && { into }) });

  for (const { name, losses } of exported)
    for (const loss of losses) output.note(output.noteStyle.yellow(`${shown(name)}: ${shown(loss)}`));
  for (const { name, reason } of failed)
    output.note(output.noteStyle.red(`${shown(name)}: ${shown(reason)}`));
  if (failed.length > 0) context.setExitCode(EXIT.failed);

  if (file !== undefined) {
    await replaceFile(file, text);
    output.result(
      { to, file, exported, failed },
      () => `Wrote ${exported.length} servers to ${shown(file)}.`,
    );
    return;
  }
  if (output.redact(text) !== text)
    output.note(output.noteStyle.yellow('Secrets in it are not shown; --output writes them to a file.'));
  output.result({ to, text, exported, failed }, () => text.trimEnd());
}

/** As written, with their variables; of several definitions of a name the one that counts. */
function definitionsOf({ entries }: LoadedConfig, names: readonly string[]): Record<string, ServerConfig> {
  const counting = entries.filter(
    ({ status, definition }) => status !== 'replaced' && definition !== undefined,
  );
  const unknown = names.filter((name) => !counting.some((entry) => entry.name === name));
  if (unknown.length > 0) {
    throw new FittingsError('SERVER_UNKNOWN', `No server is called "${shown(unknown.join('", "'))}".`, {
      hint: `There are: ${counting.map(({ name }) => name).join(', ') || 'none'}.`,
    });
  }
  return Object.fromEntries(
    counting
      .filter(({ name }) => names.length === 0 || names.includes(name))
      .map(({ name, definition = {} }) => [name, definition]),
  );
}

async function present(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new FittingsError('CONFIG_INVALID', `The file ${shown(file)} can't be read.`, { cause });
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
    throw new FittingsError('CONFIG_READ_ONLY', `The file ${shown(file)} can't be written.`, { cause });
  }
}
