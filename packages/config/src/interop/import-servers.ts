import { isAbsolute, resolve, win32 } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { describeServer } from '../approval/prompt-text.js';
import { validateFields } from '../entry/entry-schema.js';
import { normalizeEntry } from '../entry/normalize.js';
import { removeGrants } from '../entry/permissions.js';
import { DEFAULT_MAX_FILE_BYTES, isInside, readTextFile, resolveLinks } from '../files/read-file.js';
import { type JsonObject, isJsonObject, locatedValue, membersOf } from '../jsonc/json-value.js';
import { findServerMap } from '../layout/server-map.js';
import { isCommandPath } from '../entry/working-directory.js';
import { problem, type SourceLocation, type ConfigProblem } from '../problems.js';
import { checkServerName, suggestServerName } from '../server-names.js';
import { printable } from '../display-text.js';
import type { ClientFormat, ClientReadOptions } from './clients/client-format.js';
import { clientFormats, type InteropClient } from './clients/all-clients.js';
import { parseRemoteCommand } from './mcp-remote.js';
import { resolveHome, parseClientFile, clientFilePaths } from './client-files.js';

export interface ImportServersOptions {
  readonly from: InteropClient;
  /** The content, in place of reading a file. */
  readonly text?: string | undefined;
  /** A file to read. Default: wherever the program keeps its files. */
  readonly file?: string | undefined;
  /**
   * Root of a project. A `file` that lies in it counts as the project's, and in files of the project
   * `${workspaceFolder}` means it. Default: none.
   */
  readonly project?: string | undefined;
  /**
   * Read the program's files in `project` instead of those in the home directory. Whoever made the project wrote them,
   * so their servers belong into the scope `project` only ({@link ImportedServer.origin}). Default false.
   */
  readonly projectFiles?: boolean | undefined;
  /** Default: the operating system's answer; never a folder of the project that a variable points to. */
  readonly home?: string | undefined;
  /**
   * Where Windows keeps settings of programs, which is searched before `AppData\\Roaming` of the home directory. Default:
   * the variable `APPDATA` on Windows, unless it leads into the project.
   */
  readonly appData?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface ImportedServer {
  readonly name: string;
  /** Ready to be added with an editor. It grants nothing. */
  readonly entry: ServerConfig;
  /** The definition as the other program has it. Text from a stranger: show {@link summary} instead. */
  readonly definition: ServerConfig;
  /**
   * `project`: it came with a project, so write it to the scope `project` only and leave the approval to the person.
   * `person`: from a file in the home directory, or from text or a file that the caller chose.
   */
  readonly origin: 'person' | 'project';
  /** Fields that grant something and were left out: `trust`, `allowedTools` … */
  readonly dropped: readonly string[];
  /** The whole entry and the file it comes from as text, fit for a terminal, nothing cut. Show it before writing. */
  readonly summary: string;
  /** What is not the same any more, and what has to be done. */
  readonly notes: readonly string[];
  /** For an entry that starts `mcp-remote` (or `fittings bridge`): the remote server itself, in place of {@link entry}. */
  readonly remote?: ImportedRemote | undefined;
  readonly file: string;
  readonly line?: number | undefined;
}

/** A remote server that another program reaches through a local one. */
export interface ImportedRemote {
  /** Ready to be added with an editor; undefined if the command line says something that an entry cannot. */
  readonly entry: ServerConfig | undefined;
  /** As {@link ImportedServer.summary}, for this entry. */
  readonly summary: string;
  /** What is not the same any more, and what has to be done, or why there is no entry. */
  readonly notes: readonly string[];
}

export interface FailedServer {
  /** As written there, made fit to show. */
  readonly name: string;
  readonly reason: string;
  readonly file: string;
  readonly line?: number | undefined;
}

export interface ImportResult {
  readonly imported: readonly ImportedServer[];
  readonly failed: readonly FailedServer[];
  /** Files that exist and could not be read. */
  readonly problems: readonly ConfigProblem[];
  /** Files that were read. */
  readonly files: readonly string[];
}

/**
 * Reads the servers that another program is configured with, from its files in the home directory unless asked
 * otherwise. Nothing is started, no variable is read, nothing is written: what comes back is for the person to look at.
 * Nothing is thrown for a bad file or entry.
 */
export async function importServers(options: ImportServersOptions): Promise<ImportResult> {
  const dialect = clientFormats[options.from];
  const { platform = process.platform } = options;
  const project = options.project === undefined ? undefined : await resolveLinks(resolve(options.project));
  const home = await resolveHome(options, project);
  const imported = new Map<string, ImportedServer>();
  const failed: FailedServer[] = [];
  const problems: ConfigProblem[] = [];
  const files: string[] = [];

  const take = (
    text: string,
    file: string,
    origin: ImportedServer['origin'],
    context: ClientReadOptions,
  ): void => {
    files.push(file);
    const parsed = parseClientFile(dialect.format, text, file);
    if ('problem' in parsed) {
      problems.push(parsed.problem);
      return;
    }
    for (const { name, value, location } of listEntries(parsed, dialect, file, problems)) {
      const { line } = location;
      const fail = (reason: string): unknown => failed.push({ name: printable(name), reason, file, line });
      const result = importEntry(name, value, dialect, context, platform);
      if ('reason' in result) fail(result.reason);
      else if (!imported.has(result.name)) {
        const summary = describeServer(result.entry, { name: result.name, file, line });
        const remote = importRemote(result, { file, line });
        imported.set(result.name, { ...result, ...(remote && { remote }), origin, summary, file, line });
      } else if (files.length === 1) fail(`Another server is called "${result.name}".`);
    }
  };

  if (options.text !== undefined) {
    take(options.text, options.file ?? `${dialect.title} configuration`, 'person', {
      home,
      project: options.project,
    });
    return { imported: [...imported.values()], failed, problems, files };
  }
  const paths =
    options.file === undefined
      ? await clientFilePaths(dialect, { home, project }, { ...options, platform })
      : [{ path: options.file, chosen: true }];
  for (const { path, within, chosen } of paths) {
    const real = await resolveLinks(resolve(path));
    const inProject = project !== undefined && !isInside(home, project) && isInside(real, project);
    const origin = within !== undefined || inProject ? 'project' : 'person';
    const outcome = await readTextFile(path, { maxBytes: DEFAULT_MAX_FILE_BYTES, within });
    // In a file of the person the folder of a project means whichever is open, not this one.
    const context = { home, project: origin === 'project' || chosen === true ? project : undefined };
    if (outcome.kind === 'text') take(outcome.text, path, origin, context);
    else if (outcome.kind === 'refused') problems.push(outcome.problem);
    else if (chosen === true) {
      problems.push(problem('FILE_MISSING', 'The file does not exist.', { location: { file: path } }));
    }
  }
  return { imported: [...imported.values()], failed, problems, files };
}

interface ClientEntry {
  readonly name: string;
  readonly value: JsonObject | string;
  readonly location: SourceLocation;
}

/** The entries of a file; a text in place of a value is the reason why there is none. */
function* listEntries(
  { document, hasPositions }: Extract<ReturnType<typeof parseClientFile>, { document: unknown }>,
  dialect: ClientFormat,
  file: string,
  problems: ConfigProblem[],
): Generator<ClientEntry> {
  const { root, position } = document;
  const at = (offset: number): SourceLocation => ({ file, ...(hasPositions && position(offset)) });
  const found = root === undefined ? undefined : findServerMap(root, dialect.servers, []);
  if (found === undefined) return;
  if ('duplicate' in found || found.node.type !== 'object') {
    const location = at('duplicate' in found ? found.duplicate.offset : found.node.offset);
    problems.push(problem('SHAPE_INVALID', 'The servers are not one object keyed by name.', { location }));
    return;
  }
  for (const { key, keyNode, valueNode } of membersOf(found.node)) {
    const { value, issues } = locatedValue(valueNode);
    const [issue] = issues;
    const wrong = issue === undefined ? undefined : `"${issue.path}" can't be read in one way only.`;
    yield {
      name: key,
      value: wrong ?? (isJsonObject(value) ? value : 'It is not an object.'),
      location: at(keyNode.offset),
    };
  }
}

function importEntry(
  written: string,
  value: JsonObject | string,
  dialect: ClientFormat,
  context: ClientReadOptions,
  platform: NodeJS.Platform,
): Pick<ImportedServer, 'name' | 'entry' | 'definition' | 'dropped' | 'notes'> | { readonly reason: string } {
  if (typeof value === 'string') return { reason: value };
  const name = checkServerName(written) === undefined ? written : suggestServerName(written);
  if (name === undefined) return { reason: 'Nothing of its name can be kept.' };
  // `mcp-remote` replaces variables by itself, which its host does not know.
  const passesVariables = JSON.stringify([value['command'], value['args']]).includes('mcp-remote');
  const converted = dialect.read(value, { ...context, passesVariables });
  if ('reason' in converted) return converted;
  const normal = normalizeEntry(converted.entry);
  const [issue] = [...validateFields(converted.entry), ...('issues' in normal ? normal.issues : [])];
  if (issue !== undefined || 'issues' in normal) return { reason: issue?.message ?? 'It is malformed.' };
  // What another program was allowed to do without asking is no decision about this one.
  const { config: entry, removed: dropped } = removeGrants(normal.config);
  return {
    name,
    entry,
    definition: value,
    dropped,
    notes: [
      ...(name === written ? [] : [`The name "${printable(written)}" became "${name}".`]),
      ...converted.notes,
      ...dropped.map((field) => `"${field}" grants something and was left out. Decide it here.`),
      ...relativeNotes(entry, platform),
    ],
  };
}

/** The remote server that an entry leads to; its fields are checked as if they stood in a file. */
function importRemote(
  { name, entry }: Pick<ImportedServer, 'name' | 'entry'>,
  location: { readonly file: string; readonly line: number | undefined },
): ImportedRemote | undefined {
  const found = parseRemoteCommand(entry);
  if (found === undefined) return undefined;
  if ('reason' in found) return { entry: undefined, summary: '', notes: [found.reason] };
  const normal = normalizeEntry(found.entry);
  const [issue] = [...validateFields(found.entry), ...('issues' in normal ? normal.issues : [])];
  if (issue !== undefined || 'issues' in normal)
    return { entry: undefined, summary: '', notes: [issue?.message ?? 'It is malformed.'] };
  const { config } = removeGrants(normal.config);
  return { entry: config, summary: describeServer(config, { name, ...location }), notes: found.notes };
}

/** Another program may look paths up from another folder. */
function relativeNotes({ command, cwd }: ServerConfig, platform: NodeJS.Platform): readonly string[] {
  const isRelative = (text: unknown): boolean =>
    typeof text === 'string' && !text.startsWith('$') && !isAbsolute(text) && !win32.isAbsolute(text);
  const fields = [
    ...(typeof command === 'string' && isCommandPath(command, platform) && isRelative(command)
      ? ['command']
      : []),
    ...(isRelative(cwd) ? ['cwd'] : []),
  ];
  return fields.map(
    (field) => `"${field}" is a relative path. It begins in the folder of the file it is written to.`,
  );
}
