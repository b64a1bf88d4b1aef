import { dirname, resolve } from 'node:path';
import type { FileReader, ReadRules } from '../files/read-file.js';
import { parseDocument, type JsonDocument } from '../jsonc/parse-document.js';
import type { KeyPath } from '../layout/layout.js';
import { problem } from '../problems.js';
import type { Origin } from '../entry/definition.js';
import { readDefinitions, type ReadDefinitions } from './read-definitions.js';

/** A file that was looked for. */
export interface SourceFile {
  readonly path: string;
  /** Where the links led. Undefined when it is absent or was refused. */
  readonly realPath?: string | undefined;
  readonly scope: Origin['scope'];
  readonly status: 'read' | 'absent' | 'refused';
}

export interface ReadSource extends ReadDefinitions {
  readonly file: SourceFile;
}

/** Reads one file of a layout. Its text is parsed once; what is approved later is what was parsed here. */
export async function readSource(
  read: FileReader,
  path: string,
  origin: Origin,
  rules: Omit<ReadRules, 'maxBytes'>,
  keyPaths: readonly KeyPath[],
  spellings: readonly string[],
): Promise<ReadSource> {
  const { scope } = origin;
  const outcome = await read(path, rules);
  if (outcome.kind === 'absent') {
    return { file: { path, scope, status: 'absent' }, definitions: [], problems: [] };
  }
  if (outcome.kind === 'refused') {
    return { file: { path, scope, status: 'refused' }, definitions: [], problems: [outcome.problem] };
  }
  const file: SourceFile = { path, realPath: outcome.realPath, scope, status: 'read' };
  return {
    file,
    ...parsed(outcome.text, path, (document) => readDefinitions(document, origin, keyPaths, spellings)),
  };
}

const ANY_MAP: readonly KeyPath[] = [['mcpServers'], []];

/** Reads what stands behind `--mcp-config`: JSON itself, or the path of a file, which then has to exist. */
export async function readCommandLineConfig(
  read: FileReader,
  argument: string,
  index: number,
  cwd: string,
): Promise<ReadDefinitions & { readonly file?: SourceFile }> {
  const origin = (file: string, folder: string): Origin => ({
    scope: 'cli',
    file,
    folder,
    trusted: true,
    mayUseVariables: true,
  });
  if (argument.trimStart().startsWith('{')) {
    const name = `--mcp-config #${String(index + 1)}`;
    return parsed(argument, name, (document) => readDefinitions(document, origin(name, cwd), ANY_MAP, []));
  }
  const path = resolve(cwd, argument);
  const source = await readSource(read, path, origin(path, dirname(path)), {}, ANY_MAP, []);
  if (source.file.status !== 'absent') return source;
  const missing = problem('FILE_MISSING', 'The file named on the command line does not exist.', {
    location: { file: path },
  });
  return { ...source, problems: [missing] };
}

/** Servers that the host passes as values. They go the same way as those of a file. */
export function readHostServers(
  scope: 'dynamic' | 'remote',
  servers: Readonly<Record<string, unknown>>,
): ReadDefinitions {
  // A list from a service must not make this machine send it the values of variables.
  const origin: Origin = {
    scope,
    file: scope,
    folder: undefined,
    trusted: true,
    mayUseVariables: scope === 'dynamic',
  };
  const text = JSON.stringify({ mcpServers: servers }, null, 2);
  return parsed(text, scope, (document) => readDefinitions(document, origin, ANY_MAP, []));
}

function parsed(
  text: string,
  file: string,
  read: (document: JsonDocument) => ReadDefinitions,
): ReadDefinitions {
  const result = parseDocument(text, file);
  return 'problem' in result ? { definitions: [], problems: [result.problem] } : read(result.document);
}
