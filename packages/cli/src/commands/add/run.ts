import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openWorkspace, scopeFor } from '../editor.js';
import { secretNotes } from '../secret-notes.js';
import type { AddOptions } from './command.js';
import { entryOf } from './entry-of.js';

interface NewServer {
  readonly name: string;
  readonly entry: ServerConfig;
  readonly scope: string | undefined;
}

export async function add(
  context: CommandContext,
  name: string | undefined,
  command: readonly string[],
  options: AddOptions,
): Promise<void> {
  const { output } = context;
  const server = await newServer(context, name, command, options);
  const scope = scopeFor(context, server.scope);
  const { editor } = await openWorkspace(context);
  const { file } = await editor.addServer({
    name: server.name,
    scope,
    entry: server.entry,
    replace: options.replace,
  });
  output.result(
    { name: server.name, scope, file },
    () => `Added ${output.style.bold(server.name)} to ${shown(file)} (${scope}).`,
  );
  for (const note of secretNotes(server.entry)) output.note(output.noteStyle.yellow(note));
  if (!output.json) output.note(output.noteStyle.dim(`Check its status: fittings status ${server.name}`));
}

async function newServer(
  context: CommandContext,
  name: string | undefined,
  command: readonly string[],
  options: AddOptions,
): Promise<NewServer> {
  const isSaid = command.length > 0 || options.url !== undefined || options.entry !== undefined;
  if (name !== undefined && isSaid) {
    return { name, entry: await entryOf(context, command, options), scope: options.scope };
  }
  if (context.interactive) {
    const { askForServer } = await import('./ask.js');
    return askForServer(context, name, options.scope);
  }
  throw new FittingsError('ARGUMENTS_INVALID', 'A server needs a name, and a command or --url.', {
    hint: 'See fittings add --help.',
  });
}
