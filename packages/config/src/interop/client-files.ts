import { homedir } from 'node:os';
import { isAbsolute, resolve, win32 } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isInside, resolveLinks, type ReadRules } from '../files/read-file.js';
import { parseDocument, type JsonDocument } from '../jsonc/parse-document.js';
import { absolutePath } from '../layout/layout.js';
import { trustedHome } from '../layout/locate-files.js';
import { problem, type ConfigProblem } from '../problems.js';
import type { ClientFormat, ClientReadOptions } from './clients/client-format.js';
import { clientFormats } from './clients/all-clients.js';
import type { ImportServersOptions } from './import-servers.js';

/** As `loadConfig` decides it: a home directory that the project could have brought does not count. */
export async function resolveHome(
  { home }: ImportServersOptions,
  project: string | undefined,
): Promise<string> {
  if (home !== undefined) return home;
  const said = await resolveLinks(resolve(homedir()));
  if (project === undefined) return said;
  const markers = Object.values(clientFormats).flatMap((dialect) =>
    dialect.files(process.platform).flatMap(({ base, path }) => (base === 'project' ? [path] : [])),
  );
  return trustedHome(said, project, [...new Set(markers)]);
}

export interface ClientFilePath extends Pick<ReadRules, 'within'> {
  readonly path: string;
  /** The caller named it, so it has to exist. */
  readonly chosen?: boolean;
}

/** The files of a program to look at, in the order in which they count. */
export async function clientFilePaths(
  dialect: ClientFormat,
  { home, project }: ClientReadOptions,
  { projectFiles = false, platform, appData }: ImportServersOptions & { readonly platform: NodeJS.Platform },
): Promise<readonly ClientFilePath[]> {
  const base = projectFiles ? 'project' : 'home';
  const folder = projectFiles ? project : home;
  if (folder === undefined) return [];
  const roaming = platform === 'win32' && !projectFiles ? await roamingFolder(appData, project) : undefined;
  return dialect.files(platform).flatMap((file) => {
    if (file.base !== base) return [];
    const path = absolutePath(file, { home: folder, project: folder, system: undefined }, platform);
    if (path === undefined) return [];
    if (projectFiles) return [{ path, within: folder }];
    const rest = /^AppData\/Roaming\/(.+)$/.exec(file.path)?.[1];
    const first =
      roaming === undefined || rest === undefined
        ? undefined
        : absolutePath({ base, path: rest }, { home: roaming, project: folder, system: undefined }, platform);
    return [...new Set([first, path])].filter((each) => each !== undefined).map((each) => ({ path: each }));
  });
}

/** `%APPDATA%`, which a company may have moved to a server; nothing that lies in the project. */
async function roamingFolder(
  appData: string | undefined,
  project: string | undefined,
): Promise<string | undefined> {
  const folder = appData ?? process.env['APPDATA'];
  if (folder === undefined || !(isAbsolute(folder) || win32.isAbsolute(folder))) return undefined;
  if (project === undefined) return folder;
  return isInside(await resolveLinks(resolve(folder)), project) ? undefined : folder;
}

/** A document of another program; positions of TOML are not known, except that of a mistake. */
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
    const parsed = parseDocument(JSON.stringify(parse(text)), file);
    return 'problem' in parsed ? parsed : { document: parsed.document, hasPositions: false };
  } catch (error) {
    const location = error instanceof TomlError ? { file, line: error.line, column: error.column } : { file };
    return { problem: problem('JSON_SYNTAX', 'The text is not TOML.', { location }) };
  }
}
