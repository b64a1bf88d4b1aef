import { resolve } from 'node:path';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import type { CLIENT_CALLERS, GeneratedKind } from '../options.js';
import { errorJson, errorLine } from '../output/error-report.js';
import { CommandError } from '../output/hints.js';
import { readIfExists, writeOutput } from '../output/output.js';
import { counted, printable } from '../output/printable.js';
import { openSession } from '../session/open-session.js';
import { quoted } from '../session/resolve-server.js';
import { connectOne } from './connect.js';

export interface GenerateOptions {
  readonly output?: string;
  readonly check: boolean;
  readonly tool: readonly string[];
  readonly for?: (typeof CLIENT_CALLERS)[number];
  readonly closed: boolean;
}

/** Writes TypeScript for the tools that a server offers now, or compares it with a file. */
export async function generate(
  deps: CommandDeps,
  kind: GeneratedKind,
  server: string,
  options: GenerateOptions,
): Promise<void> {
  const { output } = deps;
  const { output: path } = options;
  if (options.check && path === undefined)
    throw new CommandError('ARGUMENTS_INVALID', '--check needs the file to check: --output <file>.');
  if (kind === 'types' && options.for !== undefined)
    throw new CommandError('ARGUMENTS_INVALID', '--for is for clients: fittings generate client.');
  await using session = await openSession(deps);
  const { host } = session;
  const [{ generateClient, generateTypes }] = await Promise.all([
    import('@mcp-fittings/tools/code-mode'),
    connectOne(deps, session, server),
  ]);
  const unread = host.server(server).lists.tools.error;
  if (unread !== undefined) throw unread;
  const tools = host.tools().filter((tool) => tool.server === server);
  if (tools.length === 0)
    throw new CommandError('TOOL_UNKNOWN', `The server "${printable(server)}" offers no tools.`, { server });

  const made = {
    server,
    tools: options.tool,
    closed: options.closed,
    madeBy: commandOf(kind, server, options),
  };
  const { text, functions, skipped } =
    kind === 'types' ? generateTypes(tools, made) : generateClient(tools, { ...made, caller: options.for });
  for (const { error } of skipped) output.note(errorLine(error, output.noteStyle));
  for (const { name, differences } of functions)
    for (const { keyword, pointer, reason } of differences)
      output.detail(printable(`${name}: the type accepts more than ${keyword} at "${pointer}": ${reason}`));

  const value = {
    kind,
    server,
    functions,
    skipped: skipped.map(({ tool, error }) => ({ tool, error: errorJson(error) })),
  };
  if (path === undefined) {
    // As it is, and not as text for a terminal: nothing in it is invisible or a control sequence.
    output.result({ ...value, text }, () => text.trimEnd());
    return;
  }
  const file = resolve(deps.cwd, path);
  const upToDate = (await readIfExists(file))?.replaceAll('\r\n', '\n') === text;
  if (options.check) {
    output.result({ ...value, file, upToDate }, () =>
      upToDate
        ? `${printable(file)} is up to date.`
        : `${printable(file)} is not up to date. Write it again: ${commandOf(kind, server, options)} -o ${printable(path)}`,
    );
    if (!upToDate) deps.exitCode = EXIT.failed;
    return;
  }
  if (!upToDate) await writeOutput(file, Buffer.from(text, 'utf8'));
  const count = counted(functions.length, 'function');
  output.result({ ...value, file, changed: !upToDate }, () =>
    upToDate ? `${printable(file)} is up to date.` : `Wrote ${count} to ${printable(file)}.`,
  );
}

/** The command that makes the same text again, wherever it is written. */
function commandOf(kind: GeneratedKind, server: string, options: GenerateOptions): string {
  const words = [
    'fittings',
    'generate',
    kind,
    server,
    ...options.tool.flatMap((pattern) => ['--tool', pattern]),
  ];
  if (options.for !== undefined && options.for !== 'host') words.push('--for', options.for);
  if (options.closed) words.push('--closed');
  return words.map((word) => quoted(printable(word, 1_000))).join(' ');
}
