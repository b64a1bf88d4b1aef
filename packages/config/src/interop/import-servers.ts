import { isAbsolute, resolve, win32 } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { describeServer } from '../approval/prompt-text.js';
import { printable } from '../display-text.js';
import { validateFields } from '../entry/entry-schema.js';
import { removeIgnored } from '../entry/ignored-fields.js';
import { normalizeEntry } from '../entry/normalize.js';
import { removeGrants } from '../entry/permissions.js';
import { isCommandPath } from '../entry/working-directory.js';
import { DEFAULT_MAX_FILE_BYTES, isInside, readTextFile, resolveLinks } from '../files/read-file.js';
import { type JsonObject, isJsonObject, readJsonValue, membersOf } from '../jsonc/json-value.js';
import { findServerMap, missingMapHint, objectsAroundServers } from '../layout/server-map.js';
import { CONFIG_PROBLEM_CODES, problem, type SourceLocation, type ConfigProblem } from '../problems.js';
import { checkServerName, suggestServerName } from '../server-names.js';
import { readFileWords, restrictionsBy } from '../words/file-words.js';
import { restrict } from '../words/read-words.js';
import { resolveHome, parseClientFile, clientFilePaths } from './client-files.js';
import { clientFormats, type InteropClient } from './clients/all-clients.js';
import type { ClientFormat, ClientReadOptions } from './clients/client-format.js';
import { parseRemoteCommand } from './mcp-remote.js';

/** Options of {@link importServers}. */
export interface ImportServersOptions {
  /** The client whose configuration is read. */
  readonly from: InteropClient;
  /** Content of a configuration file. If set, no file is read, and {@link file} only names the text in messages. */
  readonly text?: string | undefined;
  /** Path of a configuration file. Default: the files where the client keeps its configuration. */
  readonly file?: string | undefined;
  /**
   * Root of a project. A `file` inside it counts as the project's, and in files of the project `${workspaceFolder}` expands
   * to it. Default: none.
   */
  readonly project?: string | undefined;
  /**
   * If true, the client's files in `project` are read instead of those in the home directory. Their servers belong only in the scope
   * `project` ({@link ImportedServer.origin}), because they came with the project. Default: false.
   */
  readonly projectFiles?: boolean | undefined;
  /** The user's home directory. Default: `os.homedir()`; if that is inside the project, the account's home directory. */
  readonly home?: string | undefined;
  /**
   * Folder in which Windows programs keep their settings. It is searched before `AppData\\Roaming` of the home directory.
   * Default: the variable `APPDATA` on Windows, unless it points into the project.
   */
  readonly appData?: string | undefined;
  /** Platform whose paths are used. Default: `process.platform`. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** A server that was converted from another client's configuration. */
export interface ImportedServer {
  /** Name of the server. If the client's name is invalid, a similar one; {@link notes} says so. */
  readonly name: string;
  /** The converted entry, without grants. Write it with {@link ConfigEditor.addServer}. */
  readonly entry: ServerConfig;
  /** The entry as the client has it. Untrusted text: show {@link summary} instead. */
  readonly definition: ServerConfig;
  /**
   * `project`: the file came with a project, so write the entry only to the scope `project` and do not approve it.
   * `user`: it comes from the home directory, or from a text or file that the caller chose.
   */
  readonly origin: 'user' | 'project';
  /** The whole entry and its file as text that is safe to print, with nothing truncated. Show it before writing. */
  readonly summary: string;
  /** Changes and losses of the conversion, and what the user has to do. One sentence each. */
  readonly notes: readonly string[];
  /** For an entry that runs `mcp-remote`: the remote server, to be used in place of {@link entry}. */
  readonly remote?:
    | {
        /** The converted entry; undefined if the command line has an option that an entry cannot express. */
        readonly entry: ServerConfig | undefined;
        /** Like {@link ImportedServer.summary}, for this entry; empty without one. */
        readonly summary: string;
        /** Changes and losses of the conversion, or the reason why there is no entry. One sentence each. */
        readonly notes: readonly string[];
      }
    | undefined;
  /** Path of the file that defines it. */
  readonly file: string;
  /** Line in {@link file}, from 1; undefined for TOML. */
  readonly line?: number | undefined;
}

/** The result of {@link importServers}. */
export interface ImportResult {
  /** The servers that were converted. Of two with one name, the one from the first file. */
  readonly imported: readonly ImportedServer[];
  /** The servers that could not be converted. */
  readonly failed: readonly {
    /** Name in the client's file, safe to print. */
    readonly name: string;
    /** Reason why it could not be converted, as a sentence. */
    readonly reason: string;
    /** Path of the file that defines it. */
    readonly file: string;
    /** Line in {@link file}, from 1; undefined for TOML. */
    readonly line?: number | undefined;
  }[];
  /** Files that exist and could not be read, or have an invalid format. */
  readonly problems: readonly ConfigProblem[];
  /** Paths of the files that were read. */
  readonly files: readonly string[];
}

/**
 * Reads the servers in the configuration of another MCP client, by default from its files in the home directory, and
 * converts them. It starts no server, expands no variable and writes nothing: show the result to the user and write it
 * with a {@link ConfigEditor}. An invalid file or entry does not reject.
 *
 * @example
 * ```ts
 * const { imported, failed } = await importServers({ from: 'cursor' });
 * for (const { summary, notes } of imported) console.log(summary, ...notes);
 * for (const { name, reason } of failed) console.error(name, reason);
 * ```
 */
export async function importServers(options: ImportServersOptions): Promise<ImportResult> {
  const client = clientFormats[options.from];
  const { platform = process.platform } = options;
  const project = options.project === undefined ? undefined : await resolveLinks(resolve(options.project));
  const home = await resolveHome(options.home, project);
  const imported = new Map<string, ImportedServer>();
  const failed: ImportResult['failed'][number][] = [];
  const problems: ConfigProblem[] = [];
  const files: string[] = [];

  const take = (
    text: string,
    file: string,
    origin: ImportedServer['origin'],
    readOptions: ClientReadOptions,
  ): void => {
    files.push(file);
    const parsed = parseClientFile(client.format, text, file);
    if ('problem' in parsed) {
      problems.push(parsed.problem);
      return;
    }
    const spellings = [...new Set([options.project, project].flatMap((each) => each ?? []))];
    for (const { name, value, location, notes } of listEntries(parsed, client, file, {
      problems,
      spellings,
    })) {
      const { line } = location;
      const fail = (reason: string): unknown => failed.push({ name: printable(name), reason, file, line });
      const result = importEntry(name, value, options.from, readOptions, platform);
      if ('reason' in result) fail(result.reason);
      else if (!imported.has(result.name)) {
        const summary = describeServer(result.entry, { name: result.name, file, line });
        const remote = importRemote(result, { file, line });
        imported.set(result.name, {
          ...result,
          notes: [...notes, ...result.notes],
          ...(remote && { remote }),
          origin,
          summary,
          file,
          line,
        });
      } else if (files.length === 1) fail(`Another server in the file has the name "${result.name}".`);
    }
  };

  if (options.text !== undefined) {
    take(options.text, options.file ?? `${client.title} configuration`, 'user', {
      home,
      project: options.project,
    });
    return { imported: [...imported.values()], failed, problems, files };
  }
  const paths =
    options.file === undefined
      ? await clientFilePaths(client, { home, project }, { ...options, platform })
      : [{ path: options.file, chosen: true }];
  for (const { path, within, chosen } of paths) {
    const real = await resolveLinks(resolve(path));
    const inProject = project !== undefined && !isInside(home, project) && isInside(real, project);
    const origin = within !== undefined || inProject ? 'project' : 'user';
    const outcome = await readTextFile(path, { maxBytes: DEFAULT_MAX_FILE_BYTES, within });
    // In the user's own files, `${workspaceFolder}` is whichever folder is open, not this project.
    const readOptions = { home, project: origin === 'project' || chosen === true ? project : undefined };
    if (outcome.kind === 'text') take(outcome.text, path, origin, readOptions);
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
  /** Remarks of the file about the server outside of its entry. */
  readonly notes: readonly string[];
}

/**
 * The entries of a file, with what its settings switch off. A string in place of an object is the reason why the entry cannot
 * be read.
 */
function* listEntries(
  { document, hasPositions }: Extract<ReturnType<typeof parseClientFile>, { document: unknown }>,
  { servers, projectServers }: ClientFormat,
  file: string,
  { problems, spellings }: { readonly problems: ConfigProblem[]; readonly spellings: readonly string[] },
): Generator<ClientEntry> {
  const { root, position } = document;
  if (root === undefined) return;
  const at = (offset: number): SourceLocation => ({ file, ...(hasPositions && position(offset)) });
  const keyPaths = [...(projectServers === undefined ? [] : [projectServers]), ...servers];
  const words = readFileWords(objectsAroundServers(root, keyPaths, spellings));
  const ofProject = projectServers && findServerMap(root, [projectServers], spellings);
  const common = findServerMap(root, servers, []);
  if (ofProject === undefined && common === undefined) {
    const hint = missingMapHint(root, servers);
    if (hint !== undefined)
      problems.push(
        problem('SERVERS_MISSING', 'The file has no servers under the expected key.', {
          location: { file },
          hint,
          severity: 'warning',
        }),
      );
  }
  for (const found of [ofProject, common]) {
    if (found === undefined) continue;
    if ('duplicate' in found || found.node.type !== 'object') {
      const location = at('duplicate' in found ? found.duplicate.offset : found.node.offset);
      problems.push(problem('SHAPE_INVALID', 'The servers must be one object keyed by name.', { location }));
      continue;
    }
    for (const { key, keyNode, valueNode } of membersOf(found.node)) {
      const { value, issues } = readJsonValue(valueNode);
      const [issue] = issues;
      const ambiguity =
        issue === undefined
          ? undefined
          : `"${issue.path}" is ambiguous. ${CONFIG_PROBLEM_CODES[issue.issue].meaning}`;
      const { restrictions, by } = restrictionsBy(words, key);
      yield {
        name: key,
        value:
          ambiguity ?? (isJsonObject(value) ? restrict(value, restrictions) : 'The entry must be an object.'),
        location: at(keyNode.offset),
        notes: [
          ...(found === ofProject ? ['It was defined for this folder only.'] : []),
          ...by.map(({ path }) => `"${path}" in the file switches off this server, or some of its tools.`),
        ],
      };
    }
  }
}

function importEntry(
  written: string,
  value: JsonObject | string,
  from: InteropClient,
  readOptions: ClientReadOptions,
  platform: NodeJS.Platform,
): Pick<ImportedServer, 'name' | 'entry' | 'definition' | 'notes'> | { readonly reason: string } {
  if (typeof value === 'string') return { reason: value };
  const name = checkServerName(written) === undefined ? written : suggestServerName(written);
  if (name === undefined) return { reason: 'The name contains no character that a server name may have.' };
  // `mcp-remote` expands variables by itself, including those that the client does not know.
  const passesVariables = JSON.stringify([value['command'], value['args']]).includes('mcp-remote');
  const converted = clientFormats[from].read(value, { ...readOptions, passesVariables });
  if ('reason' in converted) return converted;
  const checked = withoutGrants(converted.entry);
  if ('reason' in checked) return checked;
  const { config, removed } = checked;
  const { config: known, notes: ignored } = removeIgnored(config);
  const entry = expandTilde(known, readOptions.home);
  return {
    name,
    entry,
    definition: value,
    notes: [
      ...(name === written ? [] : [`The name "${printable(written)}" was changed to "${name}".`]),
      ...converted.notes,
      ...ignored,
      ...removed.map(
        (field) => `"${field}" grants permissions and was removed. Grant them here if you want to.`,
      ),
      ...relativeNotes(entry, platform),
    ],
  };
}

/** The remote server behind an entry, with the checks that an entry in a file gets. */
function importRemote(
  { name, entry }: Pick<ImportedServer, 'name' | 'entry'>,
  location: { readonly file: string; readonly line: number | undefined },
): ImportedServer['remote'] {
  const found = parseRemoteCommand(entry);
  if (found === undefined) return undefined;
  const checked = 'reason' in found ? found : { ...found, ...withoutGrants(found.entry) };
  if ('reason' in checked) return { entry: undefined, summary: '', notes: [checked.reason] };
  const { config, notes } = checked;
  return { entry: config, summary: describeServer(config, { name, ...location }), notes };
}

/** Checks an entry, and removes its grants: permissions that the user granted to another client do not apply here. */
function withoutGrants(entry: JsonObject): ReturnType<typeof removeGrants> | { readonly reason: string } {
  const normal = normalizeEntry(entry);
  const [issue] = [...validateFields(entry), ...('issues' in normal ? normal.issues : [])];
  if (issue !== undefined || 'issues' in normal) return { reason: issue?.message ?? 'The entry is invalid.' };
  return removeGrants(normal.config);
}

/** Some clients replace `~` as a shell does. */
function expandTilde(entry: ServerConfig, home: string): ServerConfig {
  const expand = (value: unknown): unknown =>
    typeof value === 'string' ? value.replace(/^~(?=[/\\]|$)/, () => home.replaceAll('${', '$$${')) : value;
  const { command, cwd } = entry;
  return {
    ...entry,
    ...(command !== undefined && { command: expand(command) }),
    ...(cwd !== undefined && { cwd: expand(cwd) }),
  };
}

/** The client may resolve relative paths against another folder. */
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
    (field) =>
      `"${field}" is a relative path. It is resolved against the folder of the file that it is written to.`,
  );
}
