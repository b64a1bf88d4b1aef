import type { ServerConfig } from '@mcp-fittings/client-core';
import {
  type ImportedServer,
  type ConfigScope,
  describeServer,
  moveSecretsToVariables,
} from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { entrySecrets } from '../session/secrets.js';
import { isSharedScope } from '../session/workspace.js';
import { secretNotes } from './config-notes.js';
import type { ImportOptions } from './import.js';

/** An imported server, ready to be written. */
export interface Prepared {
  readonly name: string;
  readonly entry: ServerConfig;
  readonly notes: readonly string[];
  /** The whole entry as text that is safe to print. */
  readonly summary: string;
}

/**
 * Converts an imported entry: `mcp-remote` to the remote server behind it, and secrets to variables. Resolves with
 * undefined if the user skips the server. Rejects with `CONFIG_INVALID` if a secret would be written to the project and
 * the user cannot be asked.
 */
export async function prepareServer(
  deps: CommandDeps,
  server: ImportedServer,
  scope: ConfigScope,
  options: Pick<ImportOptions, 'convertMcpRemote' | 'secrets' | 'dryRun'>,
): Promise<Prepared | undefined> {
  const { name, origin } = server;
  const local = await asRemote(deps, server, options);
  if (origin === 'user') deps.output.hide(entrySecrets([local.entry]));
  const { entry, variables } = moveSecretsToVariables(name, local.entry);
  const fields = printable(variables.map(({ field }) => field).join(', '));
  const how = variables.length === 0 ? 'keep' : (options.secrets ?? (await howToWrite()));
  if (how === 'skip') return undefined;
  if (how === 'keep') {
    const notes = [...local.notes, ...secretNotes(local.entry, options.dryRun)];
    return { name, entry: local.entry, notes, summary: summaryOf(local.entry) };
  }
  const set = variables.map(
    ({ field, variable }) => `Set the variable ${variable}: it replaces the value of ${field}.`,
  );
  return { name, entry, notes: [...local.notes, ...set], summary: summaryOf(entry) };

  function summaryOf(entry: ServerConfig): string {
    return describeServer(entry, { name, file: server.file, line: server.line });
  }

  async function howToWrite(): Promise<'variables' | 'keep' | 'skip'> {
    if (!isSharedScope(deps, scope)) return 'keep';
    if (!deps.interactive || options.dryRun) {
      throw new CommandError(
        'CONFIG_INVALID',
        `The entry contains secrets (${fields}), and the scope ${scope} is a file of the project.`,
        {
          server: name,
          hint: 'Use --secrets variables to replace them with ${NAME}, or --secrets keep to write them.',
        },
      );
    }
    const prompts = await openPrompts(deps);
    return prompts.select(
      `${printable(name)} contains secrets (${fields}). What do you want to write to the project?`,
      [
        {
          value: 'variables',
          label: 'Variables instead of the secrets',
          hint: 'you set them in your environment',
        },
        { value: 'skip', label: 'Nothing: leave this server out' },
        { value: 'keep', label: 'The secrets', hint: 'everyone with access to the project can read them' },
      ],
    );
  }
}

async function asRemote(
  deps: CommandDeps,
  { name, entry, notes, remote }: ImportedServer,
  { convertMcpRemote, dryRun }: Pick<ImportOptions, 'convertMcpRemote' | 'dryRun'>,
): Promise<Pick<Prepared, 'entry' | 'notes'>> {
  if (remote === undefined) return { entry, notes };
  if (remote.entry === undefined) {
    const why = remote.notes.map((note) => `It cannot be converted to a remote server: ${note}`);
    return { entry, notes: convertMcpRemote ? [...notes, ...why] : notes };
  }
  const converted = { entry: remote.entry, notes: [...notes, ...remote.notes] };
  if (convertMcpRemote) return converted;
  if (deps.interactive && !dryRun) {
    const prompts = await openPrompts(deps);
    prompts.tell(remote.summary);
    const question = `${printable(name)} starts a program that connects to a remote server. Connect to the server itself?`;
    return (await prompts.confirm(question)) ? converted : { entry, notes };
  }
  const offer =
    'It starts a program that connects to a remote server. --convert-mcp-remote imports that server itself.';
  return { entry, notes: [...notes, offer] };
}
