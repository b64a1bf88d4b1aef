import { resolve } from 'node:path';
import { escapeText, FittingsError } from '@mcp-fittings/client-core';
import { importServers, type ImportedServer } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { secretsOf } from '../../composition/secrets.js';
import { EXIT } from '../../exit-codes.js';
import { errorFacts, type ErrorFacts } from '../../output/error-report.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import { openWorkspace, scopeFor, type Workspace } from '../editor.js';
import { noteProblems } from '../note-problems.js';
import type { ImportOptions } from './command.js';

interface Outcome {
  readonly name: string;
  readonly file?: string;
  readonly source: { readonly file: string; readonly line?: number | undefined };
  readonly origin: ImportedServer['origin'];
  readonly entry: ImportedServer['entry'];
  readonly notes: readonly string[];
  readonly error?: ErrorFacts;
}

export async function importInto(
  context: CommandContext,
  names: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const { output, cwd } = context;
  const { from, file, dryRun, replace } = options;
  // Nothing is approved by being imported.
  const workspace = await openWorkspace(context, { approves: false });
  const found = await importServers({
    from,
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
  for (const { name, entry, notes, origin, file: sourceFile, line } of chosen) {
    const outcome = { name, entry, notes, origin, source: { file: sourceFile, line } };
    try {
      const own = ownServer(workspace, name, scope);
      if (own !== undefined && !replace) throw own;
      const written = dryRun ? undefined : await workspace.editor.addServer({ name, scope, entry, replace });
      outcomes.push({ ...outcome, ...(written !== undefined && { file: written.file }) });
    } catch (error) {
      if (!(error instanceof FittingsError)) throw error;
      outcomes.push({ ...outcome, error: errorFacts(error) });
    }
  }
  const value = { from, scope, dryRun, files: found.files, servers: outcomes, failed: found.failed };
  output.result(value, () =>
    [
      ...outcomes.flatMap((outcome) => lines(outcome, dryRun)),
      ...found.failed.map(({ name, reason }) => `${output.style.red('✗')} ${name}: ${shown(reason)}`),
      ...(outcomes.length + found.failed.length === 0 ? [`There is nothing to take over from ${from}.`] : []),
    ].join('\n'),
  );
  if (outcomes.some(({ error }) => error !== undefined)) context.setExitCode(EXIT.config);

  function lines({ name, notes, error, file: written }: Outcome, isDry: boolean): readonly string[] {
    const { style } = output;
    if (error !== undefined) return [`${style.red('✗')} ${shown(name)}: ${shown(error.message)}`];
    const where = isDry ? 'would be taken over' : `in ${shown(written ?? '')}`;
    return [
      `${style.green('✓')} ${shown(name)} ${where}`,
      ...notes.map((note) => `    ${style.yellow(shown(note))}`),
    ];
  }
}

/** Why a server of the name must not be taken over: one of the person's own, in another scope, would be outranked. */
function ownServer({ loaded }: Workspace, name: string, scope: string): FittingsError | undefined {
  const own = loaded.entries.find(
    (entry) =>
      entry.name === name &&
      entry.scope !== 'project' &&
      entry.scope !== scope &&
      entry.approval === undefined,
  );
  if (own === undefined) return undefined;
  return new FittingsError('CONFIG_INVALID', `You have a server "${name}" in the scope ${own.scope}.`, {
    server: name,
    hint: 'Say --replace to let the imported one count instead.',
  });
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
      `There is no server "${shown(unknown.join('", "'))}" to take over.`,
      {
        hint: `There are: ${imported.map(({ name }) => name).join(', ') || 'none'}.`,
      },
    );
  }
  const asked = names.length > 0 ? imported.filter(({ name }) => names.includes(name)) : imported;
  for (const { summary } of asked) context.output.note(summary);
  if (names.length > 0 || all || dryRun || imported.length === 0) return asked;
  if (!context.interactive) {
    throw new FittingsError('ARGUMENTS_INVALID', 'Which servers are to be taken over?', {
      hint: `Name them, or say --all. There are: ${imported.map(({ name }) => name).join(', ')}.`,
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
