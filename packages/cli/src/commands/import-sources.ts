import {
  type ConfigProblem,
  type ImportResult,
  importServers,
  type InteropClient,
} from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { FOREIGN_PROGRAMS } from '../options.js';
import { isOfFile, noteUnreadFiles } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { wrapWords } from '../output/text-width.js';
import { openWorkspace } from '../session/workspace.js';
import type { ImportOptions } from './import.js';

interface Found extends Pick<ImportResult, 'files'> {
  readonly program: InteropClient;
  readonly servers: readonly string[];
  /** Is true if the files came with this project. */
  readonly project: boolean;
}

/** Lists the programs that have configuration files here, for `import` without a program. */
export async function listPrograms(
  deps: CommandDeps,
  names: readonly string[],
  { file, all }: Pick<ImportOptions, 'file' | 'all'>,
): Promise<void> {
  if (names.length > 0 || file !== undefined || all) {
    throw new CommandError('ARGUMENTS_INVALID', 'Name the program to import from: --from <program>.', {
      hint: `Supported programs: ${FOREIGN_PROGRAMS.join(', ')}.`,
    });
  }
  const { output, env } = deps;
  const { loaded, home } = await openWorkspace(deps, { approves: false });
  const project = loaded.project.root;
  const searched = FOREIGN_PROGRAMS.flatMap((program) =>
    [false, true].map((isProject) => ({ program, isProject })),
  );
  const unread: ConfigProblem[] = [];
  const every = await Promise.all(
    searched.map(async ({ program, isProject }): Promise<Found> => {
      const places = { home, project, projectFiles: isProject, appData: env['APPDATA'] };
      const { files, imported, failed, problems } = await importServers({ from: program, ...places });
      unread.push(...problems.filter(isOfFile));
      const servers = [...imported, ...failed].map(({ name }) => name);
      return { program, project: isProject, files, servers };
    }),
  );
  if (unread.length > 0) deps.exitCode = EXIT.config;
  // The file of a program may be one of ours too.
  const isNoted = ({ file }: ConfigProblem): boolean =>
    loaded.problems.some((problem) => isOfFile(problem) && problem.file === file);
  noteUnreadFiles(
    unread.filter((problem) => !isNoted(problem)),
    output,
  );
  const found = every.filter(({ files }) => files.length > 0);
  output.result({ programs: found }, () =>
    found.length === 0
      ? `No configuration of another program was found. Supported programs: ${FOREIGN_PROGRAMS.join(', ')}.`
      : found
          .flatMap(({ program, project: isProject, files, servers }) => [
            output.style.bold(`fittings import --from ${program}${isProject ? ' --project' : ''}`),
            `  ${servers.length === 0 ? 'no servers' : printable(servers.join(', '), 200)}`,
            `  ${output.style.dim(printable(files.join(', ')))}`,
          ])
          .flatMap((line) => wrapWords(output.redact(line), output.columns))
          .join('\n'),
  );
}
