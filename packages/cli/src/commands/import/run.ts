import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import { importServers, type ImportedServer } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { secretsOf } from '../../composition/secrets.js';
import { EXIT } from '../../exit-codes.js';
import { errorFacts, type ErrorFacts } from '../../output/error-report.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import { openWorkspace, scopeFor, type Workspace } from '../editor.js';
import { noteProblems } from '../note-problems.js';
import type { ProgramName } from '../foreign-programs.js';
import type { ImportOptions } from './command.js';
import { prepareServer, type Prepared } from './prepare-server.js';

interface Outcome extends Pick<Prepared, 'name' | 'entry' | 'notes'> {
  readonly file?: string;
  readonly source: { readonly file: string; readonly line?: number | undefined };
  readonly origin: ImportedServer['origin'];
  readonly error?: ErrorFacts;
}

export async function importInto(
  context: CommandContext,
  names: readonly string[],
  options: ImportOptions & { readonly from: ProgramName },
): Promise<void> {
  const { output, cwd } = context;
  const { from, file, dryRun, replace } = options;
  // Nothing is approved by being imported.
  const workspace = await openWorkspace(context, { approves: false });
  const found = await importServers({
    from,
    home: workspace.home,
    project: workspace.loaded.project.root,
    projectFiles: options.project,
    appData: context.env['APPDATA'],
    ...(file !== undefined && { file: resolve(cwd, file) }),
  });
  const brought = options.project || found.imported.some(({ origin }) => origin === 'project');
  const scope = scopeFor(context, options.scope ?? (brought ? 'project' : undefined));
  if (brought && scope !== 'project') {
    const message = `Servers that came with a project cannot be imported into the scope ${scope}.`;
    const hint = 'Import them with --scope project, and approve each: fittings approve';
    throw new FittingsError('ARGUMENTS_INVALID', message, { hint });
  }
  noteProblems(found.problems, output);
  output.hide(secretsOf(found.imported.flatMap(({ origin, entry }) => (origin === 'person' ? [entry] : []))));
  const chosen = await choose(context, found.imported, names, options);
  const outcomes: Outcome[] = [];
  for (const server of chosen) {
    const { name, origin, file: sourceFile, line } = server;
    const source = { file: sourceFile, line };
    let outcome: Outcome = { name, entry: server.entry, notes: server.notes, origin, source };
    try {
      const own = ownServer(workspace, name, scope);
      if (own !== undefined && !replace) throw own;
      const prepared = await prepareServer(context, server, scope, options);
      if (prepared === undefined) continue;
      const { entry } = prepared;
      outcome = { ...outcome, entry, notes: prepared.notes };
      if (dryRun) output.note(prepared.summary);
      const written = dryRun ? undefined : await workspace.editor.addServer({ name, scope, entry, replace });
      outcomes.push({ ...outcome, ...(written !== undefined && { file: written.file }) });
    } catch (error) {
      if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
      outcomes.push({ ...outcome, error: errorFacts(error) });
    }
  }
  const value = { from, scope, dryRun, files: found.files, servers: outcomes, failed: found.failed };
  output.result(value, () =>
    [
      ...outcomes.flatMap((outcome) => lines(outcome, dryRun)),
      ...found.failed.map(({ name, reason }) => `${output.style.red('✗')} ${name}: ${shown(reason)}`),
      ...(outcomes.length + found.failed.length === 0 ? [`Nothing was imported from ${from}.`] : []),
    ].join('\n'),
  );
  if (outcomes.some(({ error }) => error !== undefined)) context.setExitCode(EXIT.config);

  function lines({ name, notes, error, file: written }: Outcome, isDry: boolean): readonly string[] {
    const { style } = output;
    if (error !== undefined) {
      const hint = error.hint === undefined ? '' : ` ${style.dim(shown(error.hint))}`;
      return [`${style.red('✗')} ${shown(name)}: ${shown(error.message)}${hint}`];
    }
    const where = isDry ? 'would be imported' : `in ${shown(written ?? '')}`;
    return [
      `${style.green('✓')} ${shown(name)} ${where}`,
      ...notes.map((note) => `    ${style.yellow(shown(note))}`),
    ];
  }
}

/** Why a server of the name must not be imported: one of the person's own, in another scope, would be outranked. */
function ownServer({ loaded }: Workspace, name: string, scope: string): FittingsError | undefined {
  const own = loaded.entries.find(
    (entry) =>
      entry.name === name &&
      entry.scope !== 'project' &&
      entry.scope !== scope &&
      entry.approval === undefined,
  );
  if (own === undefined) return undefined;
  return new FittingsError(
    'CONFIG_INVALID',
    `You already have a server "${name}" in the scope ${own.scope}.`,
    {
      server: name,
      hint: 'Use --replace to replace it.',
    },
  );
}

async function choose(
  context: CommandContext,
  imported: readonly ImportedServer[],
  names: readonly string[],
  { all, dryRun }: ImportOptions,
): Promise<readonly ImportedServer[]> {
  const unknown = names.filter((name) => !imported.some((server) => server.name === name));
  if (unknown.length > 0) {
    throw new FittingsError(
      'SERVER_UNKNOWN',
      `There is no server "${shown(unknown.join('", "'))}" to import.`,
      {
        hint: `Found: ${imported.map(({ name }) => name).join(', ') || 'none'}.`,
      },
    );
  }
  const asked = names.length > 0 ? imported.filter(({ name }) => names.includes(name)) : imported;
  // A dry run shows what would be written in the end.
  if (!dryRun) for (const { summary } of asked) context.output.note(summary);
  if (names.length > 0 || all || dryRun || imported.length === 0) return asked;
  if (!context.interactive) {
    throw new FittingsError('ARGUMENTS_INVALID', 'Name the servers to import.', {
      hint: `Name them or use --all. Found: ${imported.map(({ name }) => name).join(', ')}.`,
    });
  }
  const prompts = await openPrompts(context);
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
