import { homedir } from 'node:os';
import { isAbsolute, resolve, win32 } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isInside, resolveLinks, type ReadRules } from '../files/read-file.js';
import { parseDocument, type JsonDocument } from '../jsonc/parse-document.js';
import { pathBelow, pathOn } from '../layout/layout.js';
import { trustedHome } from '../layout/locate-files.js';
import { problem, type ConfigProblem } from '../problems.js';
import { clientFormats } from './clients/all-clients.js';
import type { ClientFormat, ClientReadOptions } from './clients/client-format.js';

/** Finds the home directory as `loadConfig` does: one inside the project is replaced by the account's. */
export async function resolveHome(home: string | undefined, project: string | undefined): Promise<string> {
  if (home !== undefined) return home;
  const said = await resolveLinks(resolve(homedir()));
  if (project === undefined) return said;
  const markers = Object.values(clientFormats).flatMap(({ files }) => files.project ?? []);
  return trustedHome(said, project, [...new Set(markers)]);
}

/** Options of {@link clientFilePaths}. */
export interface SearchOptions {
  readonly platform: NodeJS.Platform;
  readonly projectFiles?: boolean | undefined;
  readonly appData?: string | undefined;
}

export interface ClientFilePath extends Pick<ReadRules, 'within'> {
  readonly path: string;
  /** True if the caller named the file, so that it must exist. */
  readonly chosen?: boolean;
}

/** The files of a client to read. Of two servers with one name, the one in the first file is used. */
export async function clientFilePaths(
  client: ClientFormat,
  { home, project }: ClientReadOptions,
  { projectFiles = false, platform, appData }: SearchOptions,
): Promise<readonly ClientFilePath[]> {
  const base = projectFiles ? 'project' : 'home';
  const folder = projectFiles ? project : home;
  if (folder === undefined) return [];
  const roaming = platform === 'win32' && !projectFiles ? await roamingFolder(appData, project) : undefined;
  return (client.files[base] ?? []).flatMap((file): readonly ClientFilePath[] => {
    const written = typeof file === 'string' ? file : pathOn(file, platform);
    const path = pathBelow(folder, written, platform);
    if (projectFiles) return [{ path, within: folder }];
    const rest = /^AppData\/Roaming\/(.+)$/.exec(written)?.[1];
    const first = roaming === undefined || rest === undefined ? path : pathBelow(roaming, rest, platform);
    return Array.from(new Set([first, path]), (each) => ({ path: each }));
  });
}

/** `%APPDATA%`, which may be on a network drive; undefined if it is inside the project. */
async function roamingFolder(
  appData: string | undefined,
  project: string | undefined,
): Promise<string | undefined> {
  const folder = appData ?? process.env['APPDATA'];
  if (folder === undefined || !(isAbsolute(folder) || win32.isAbsolute(folder))) return undefined;
  if (project === undefined) return folder;
  return isInside(await resolveLinks(resolve(folder)), project) ? undefined : folder;
}

/** Parses a client's file. Positions in TOML are not known, except that of a syntax error. */
export function parseClientFile(
  format: 'json' | 'toml',
  text: string,
  file: string,
): { readonly document: JsonDocument; readonly hasPositions: boolean } | { readonly problem: ConfigProblem } {
  if (format === 'json') {
    const parsed = parseDocument(text, file);
    return 'problem' in parsed ? parsed : { document: parsed.document, hasPositions: true };
  }
  try {
    const parsed = parseDocument(JSON.stringify(parse(text.replace(/^\uFEFF/, ''))), file);
    return 'problem' in parsed ? parsed : { document: parsed.document, hasPositions: false };
  } catch (error) {
    const location = error instanceof TomlError ? { file, line: error.line, column: error.column } : { file };
    return { problem: problem('JSON_SYNTAX', 'The file is not valid TOML.', { location }) };
  }
}
