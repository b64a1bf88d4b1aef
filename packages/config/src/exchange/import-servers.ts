import { homedir } from 'node:os';
import { type ServerConfig } from '@mcp-fittings/client-core';
import { checkFields } from '../entry/check-entry.js';
import { normaliseEntry } from '../entry/normalise.js';
import { DEFAULT_MAX_FILE_BYTES, readTextFile } from '../files/read-file.js';
import { type JsonObject, isJsonObject, locatedValue, membersOf } from '../jsonc/json-value.js';
import { absolutePath } from '../layout/places.js';
import { findServerMap } from '../load/find-server-map.js';
import { problem, type Place, type Problem } from '../problems.js';
import { nameProblem, suggestName } from '../server-names.js';
import { shown } from '../text/visible-text.js';
import type { Dialect, ImportContext } from './dialect.js';
import { dialects, type ForeignProgram } from './dialects.js';
import { parseForeign } from './parse-foreign.js';

export interface ImportOptions {
  readonly from: ForeignProgram;
  /** The content, in place of reading a file. */
  readonly text?: string | undefined;
  /** A file to read. Default: wherever the program keeps its files. */
  readonly file?: string | undefined;
  /** Folder of a project: its files are read too, and `${workspaceFolder}` means it. Default: none. */
  readonly project?: string | undefined;
  /** Default: the operating system's answer. */
  readonly home?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface ImportedServer {
  readonly name: string;
  /** Ready to be added with an editor. */
  readonly entry: ServerConfig;
  /** What is not the same any more, and what has to be done. */
  readonly notes: readonly string[];
  readonly file: string;
  readonly line?: number | undefined;
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
  readonly problems: readonly Problem[];
  /** Files that were read. */
  readonly files: readonly string[];
}

/**
 * Reads the servers that another program is configured with. Nothing is started, no variable is read, nothing is
 * written: what comes back is for the person to look at. Nothing is thrown for a bad file or entry.
 */
export async function importServers(options: ImportOptions): Promise<ImportResult> {
  const dialect = dialects[options.from];
  const { home = homedir(), project, platform = process.platform } = options;
  const context: ImportContext = { home, project };
  const imported = new Map<string, ImportedServer>();
  const failed: FailedServer[] = [];
  const problems: Problem[] = [];
  const files: string[] = [];

  const take = (text: string, file: string): void => {
    files.push(file);
    const parsed = parseForeign(dialect.format, text, file);
    if ('problem' in parsed) {
      problems.push(parsed.problem);
      return;
    }
    for (const { name, value, place } of entriesIn(parsed, dialect, file, problems)) {
      const result = importEntry(name, value, dialect, context);
      if ('reason' in result)
        failed.push({ name: shown(name), reason: result.reason, file, line: place.line });
      else if (!imported.has(result.name)) imported.set(result.name, { ...result, file, line: place.line });
      else if (files.length === 1) {
        failed.push({
          name: shown(name),
          reason: `Another server is called "${result.name}".`,
          file,
          line: place.line,
        });
      }
    }
  };

  if (options.text !== undefined) take(options.text, options.file ?? `${dialect.title} configuration`);
  else {
    for (const path of options.file === undefined ? pathsOf(dialect, context, platform) : [options.file]) {
      const outcome = await readTextFile(path, { maxBytes: DEFAULT_MAX_FILE_BYTES });
      if (outcome.kind === 'text') take(outcome.text, path);
      else if (outcome.kind === 'refused') problems.push(outcome.problem);
      else if (options.file !== undefined) {
        problems.push(problem('FILE_MISSING', 'The file does not exist.', { place: { file: path } }));
      }
    }
  }
  return { imported: [...imported.values()], failed, problems, files };
}

function pathsOf(
  dialect: Dialect,
  { home, project }: ImportContext,
  platform: NodeJS.Platform,
): readonly string[] {
  return dialect.files(platform).flatMap((file) => {
    if (file.base === 'project' && project === undefined) return [];
    const path = absolutePath(file, { home, project: project ?? home, system: undefined }, platform);
    return path === undefined ? [] : [path];
  });
}

interface ForeignEntry {
  readonly name: string;
  readonly value: JsonObject | string;
  readonly place: Place;
}

/** The entries of a file; a text in place of a value is the reason why there is none. */
function* entriesIn(
  { document, hasPlaces }: Extract<ReturnType<typeof parseForeign>, { document: unknown }>,
  dialect: Dialect,
  file: string,
  problems: Problem[],
): Generator<ForeignEntry> {
  const { root, position } = document;
  const at = (offset: number): Place => ({ file, ...(hasPlaces && position(offset)) });
  const found = root === undefined ? undefined : findServerMap(root, dialect.servers, []);
  if (found === undefined) return;
  if ('duplicate' in found || found.node.type !== 'object') {
    const place = at('duplicate' in found ? found.duplicate.offset : found.node.offset);
    problems.push(problem('SHAPE_INVALID', 'The servers are not one object keyed by name.', { place }));
    return;
  }
  for (const { key, keyNode, valueNode } of membersOf(found.node)) {
    const { value, faults } = locatedValue(valueNode);
    const [fault] = faults;
    const wrong = fault === undefined ? undefined : `"${fault.path}" can't be read in one way only.`;
    yield {
      name: key,
      value: wrong ?? (isJsonObject(value) ? value : 'It is not an object.'),
      place: at(keyNode.offset),
    };
  }
}

function importEntry(
  written: string,
  value: JsonObject | string,
  dialect: Dialect,
  context: ImportContext,
): Pick<ImportedServer, 'name' | 'entry' | 'notes'> | { readonly reason: string } {
  if (typeof value === 'string') return { reason: value };
  const name = nameProblem(written) === undefined ? written : suggestName(written);
  if (name === undefined) return { reason: 'Nothing of its name can be kept.' };
  const converted = dialect.read(value, context);
  if ('reason' in converted) return converted;
  const normal = normaliseEntry(converted.entry);
  const [fault] = [...checkFields(converted.entry), ...('faults' in normal ? normal.faults : [])];
  if (fault !== undefined || 'faults' in normal) return { reason: fault?.message ?? 'It is malformed.' };
  const renamed = name === written ? [] : [`The name "${shown(written)}" became "${name}".`];
  return { name, entry: normal.config, notes: [...renamed, ...converted.notes] };
}
