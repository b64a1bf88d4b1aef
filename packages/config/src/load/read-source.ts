import { dirname, resolve } from 'node:path';
import type { Origin } from '../entry/definition.js';
import type { FileReader, ReadRules } from '../files/read-file.js';
import { parseDocument, type JsonDocument } from '../jsonc/parse-document.js';
import type { KeyPath } from '../layout/layout.js';
import { problem } from '../problems.js';
import type { LoadedConfig } from './loaded-config.js';
import { readDefinitions, type ReadDefinitions } from './read-definitions.js';

/** A file that {@link loadConfig} looked for. */
export type SourceFile = LoadedConfig['files'][number];

/** Reads one file of a layout. It is parsed only here, so that the definition that is approved is the one that is used. */
export async function readSource(
  read: FileReader,
  path: string,
  origin: Origin,
  rules: Omit<ReadRules, 'maxBytes'>,
  keyPaths: readonly KeyPath[],
  spellings: readonly string[],
): Promise<ReadDefinitions & { readonly file: SourceFile }> {
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

/** Reads an argument of `--mcp-config`: JSON, or the path of a file that must exist. */
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

/** Reads servers that the host passes as objects, with the checks that a file gets. */
export function readHostServers(
  scope: 'dynamic' | 'remote',
  servers: Readonly<Record<string, unknown>>,
): ReadDefinitions {
  // A remote service must not make this machine send it the values of variables.
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
