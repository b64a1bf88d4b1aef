import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { importServers, type ImportedServer } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { EXIT } from '../../exit-codes.js';
import { errorFacts, type ErrorFacts } from '../../output/error-report.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import { openWorkspace, scopeFor } from '../editor.js';
import { noteProblems } from '../note-problems.js';
import type { ImportOptions } from './command.js';

interface Outcome {
  readonly name: string;
  readonly file?: string;
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
  const scope = scopeFor(context, options.scope);
  const found = await importServers({
    from,
    project: cwd,
    ...(file !== undefined && { file: resolve(cwd, file) }),
  });
  noteProblems(found.problems, output);
  const chosen = await choose(context, found.imported, names, options);
  const outcomes: Outcome[] = [];
  const { editor } = await openWorkspace(context);
  for (const { name, entry, notes } of chosen) {
    try {
      const written = dryRun ? undefined : await editor.addServer({ name, scope, entry, replace });
      outcomes.push({ name, notes, ...(written !== undefined && { file: written.file }) });
    } catch (error) {
      if (!(error instanceof FittingsError)) throw error;
      outcomes.push({ name, notes, error: errorFacts(error) });
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
  if (names.length > 0) return imported.filter(({ name }) => names.includes(name));
  if (all || dryRun || imported.length === 0) return imported;
  if (!context.interactive) {
    throw new FittingsError('ARGUMENTS_INVALID', 'Which servers are to be taken over?', {
      hint: `Name them, or say --all. There are: ${imported.map(({ name }) => name).join(', ')}.`,
    });
  }
  const prompts = await openPrompts(context);
  const picked = await prompts.selectMany(
    'Which servers are to be taken over?',
    imported.map(({ name, entry }) => ({
      value: name,
      label: name,
      hint: shown(String(entry['command'] ?? entry['url'])),
    })),
  );
  return imported.filter(({ name }) => picked.includes(name));
}
