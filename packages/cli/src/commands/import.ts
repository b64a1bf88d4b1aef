import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { type ImportedServer, importServers } from '@mcp-fittings/config';
import type { InteropClient } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import type { SecretHandling } from '../options.js';
import { type ErrorJson, errorJson } from '../output/error-report.js';
import { isOfFile, noteUnreadFiles } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { entrySecrets } from '../session/secrets.js';
import { type Workspace, openWorkspace, scopeFor } from '../session/workspace.js';
import { noteProblems } from './config-notes.js';
import { type Prepared, prepareServer } from './import-entry.js';

export interface ImportOptions {
  /** Undefined: lists the programs that have configuration files here. */
  readonly from?: InteropClient;
  readonly file?: string;
  readonly scope?: string;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly project: boolean;
  readonly convertMcpRemote: boolean;
  readonly secrets?: SecretHandling;
}

interface Outcome extends Pick<Prepared, 'name' | 'entry' | 'notes'> {
  readonly file?: string;
  readonly source: { readonly file: string; readonly line?: number | undefined };
  readonly origin: ImportedServer['origin'];
  readonly error?: ErrorJson;
}

export async function importFromProgram(
  deps: CommandDeps,
  names: readonly string[],
  options: ImportOptions & { readonly from: InteropClient },
): Promise<void> {
  const { output, cwd } = deps;
  const { from, file, dryRun, replace } = options;
  // Importing a server does not approve it.
  const workspace = await openWorkspace(deps, { approves: false });
  const found = await importServers({
    from,
    home: workspace.home,
    project: workspace.loaded.project.root,
    projectFiles: options.project,
    appData: deps.env['APPDATA'],
    ...(file !== undefined && { file: resolve(cwd, file) }),
  });
  const isFromProject = options.project || found.imported.some(({ origin }) => origin === 'project');
  const scope = scopeFor(deps, options.scope ?? (isFromProject ? 'project' : undefined));
  if (isFromProject && scope !== 'project') {
    const message = `Servers that came with a project cannot be imported into the scope ${scope}.`;
    const hint = 'Import them with --scope project, and approve each: fittings approve';
    throw new CommandError('ARGUMENTS_INVALID', message, { hint });
  }
  noteUnreadFiles(found.problems, output);
  noteProblems(found.problems, output);
  output.hide(
    entrySecrets(found.imported.flatMap(({ origin, entry }) => (origin === 'user' ? [entry] : []))),
  );
  const chosen = await choose(deps, found.imported, names, options);
  const outcomes: Outcome[] = [];
  for (const server of chosen) {
    const { name, origin, file: sourceFile, line } = server;
    const source = { file: sourceFile, line };
    let outcome: Outcome = { name, entry: server.entry, notes: server.notes, origin, source };
    try {
      const own = ownServer(workspace, name, scope);
      if (own !== undefined && !replace) throw own;
      const prepared = await prepareServer(deps, server, scope, options);
      if (prepared === undefined) continue;
      const { entry } = prepared;
      outcome = { ...outcome, entry, notes: prepared.notes };
      if (dryRun) output.note(prepared.summary);
      const written = dryRun ? undefined : await workspace.editor.addServer({ name, scope, entry, replace });
      outcomes.push({ ...outcome, ...(written !== undefined && { file: written.file }) });
    } catch (error) {
      if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
      outcomes.push({ ...outcome, error: errorJson(error) });
    }
  }
  const value = { from, scope, dryRun, files: found.files, servers: outcomes, failed: found.failed };
  const nothing =
    found.files.length > 0
      ? `Nothing was imported from ${from}.`
      : `There is no configuration file of ${from} here. The programs that have one: fittings import`;
  output.result(value, () =>
    [
      ...outcomes.flatMap((outcome) => lines(outcome, dryRun)),
      ...found.failed.map(({ name, reason }) => `${output.style.red('✗')} ${name}: ${printable(reason)}`),
      ...(outcomes.length + found.failed.length === 0 ? [nothing] : []),
    ].join('\n'),
  );
  const isIncomplete = found.failed.length > 0 || found.problems.some(isOfFile);
  if (isIncomplete || outcomes.some(({ error }) => error !== undefined)) deps.exitCode = EXIT.config;

  function lines({ name, notes, error, file: written }: Outcome, isDry: boolean): readonly string[] {
    const { style } = output;
    if (error !== undefined) {
      const hint = error.hint === undefined ? '' : ` ${style.dim(printable(error.hint))}`;
      return [`${style.red('✗')} ${printable(name)}: ${printable(error.message)}${hint}`];
    }
    const where = isDry ? 'would be imported' : `in ${printable(written ?? '')}`;
    return [
      `${style.green('✓')} ${printable(name)} ${where}`,
      ...notes.map((note) => `    ${style.yellow(printable(note))}`),
    ];
  }
}

/** Returns why a server of this name cannot be imported: it would replace one of the user's own in another scope. */
function ownServer({ loaded }: Workspace, name: string, scope: string): FittingsError | undefined {
  const own = loaded.entries.find(
    (entry) =>
      entry.name === name &&
      entry.scope !== 'project' &&
      entry.scope !== scope &&
      entry.approval === undefined,
  );
  if (own === undefined) return undefined;
  return new CommandError(
    'CONFIG_INVALID',
    `You already have a server "${name}" in the scope ${own.scope}.`,
    {
      server: name,
      hint: 'Use --replace to replace it.',
    },
  );
}

async function choose(
  deps: CommandDeps,
  imported: readonly ImportedServer[],
  names: readonly string[],
  { all, dryRun }: ImportOptions,
): Promise<readonly ImportedServer[]> {
  const unknown = names.filter((name) => !imported.some((server) => server.name === name));
  if (unknown.length > 0) {
    throw new CommandError(
      'SERVER_UNKNOWN',
      `There is no server "${printable(unknown.join('", "'))}" to import.`,
      {
        hint: `Found: ${imported.map(({ name }) => name).join(', ') || 'none'}.`,
      },
    );
  }
  const asked = names.length > 0 ? imported.filter(({ name }) => names.includes(name)) : imported;
  // A dry run shows what would be written instead.
  if (!dryRun) for (const { summary } of asked) deps.output.note(summary);
  if (names.length > 0 || all || dryRun || imported.length === 0) return asked;
  if (!deps.interactive) {
    throw new CommandError('ARGUMENTS_INVALID', 'No server is named to import.', {
      hint: `Name them, or use --all. Found: ${imported.map(({ name }) => name).join(', ')}.`,
    });
  }
  const prompts = await openPrompts(deps);
  const picked = await prompts.selectMany(
    'Which servers do you want to import?',
    imported.map(({ name, entry }) => ({
      value: name,
      label: name,
      hint: escapeText(String(entry['command'] ?? entry['url']), { maxLength: 200 }),
    })),
  );
  return imported.filter(({ name }) => picked.includes(name));
}
