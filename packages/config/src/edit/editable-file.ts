import { FittingsError } from '@mcp-fittings/client-core';
import { printable } from '../display-text.js';
import {
  DEFAULT_MAX_FILE_BYTES,
  isBrokenLink,
  isInside,
  readTextFile,
  resolveLinks,
} from '../files/read-file.js';
import { type JsonObject, isJsonObject, readJsonValue, membersOf } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import type { Project } from '../layout/find-project.js';
import { PROJECT_PLACEHOLDER, type FileSource } from '../layout/layout.js';
import { findServerMap, looksLikeServer } from '../layout/server-map.js';
import type { ConfigProblem } from '../problems.js';

/** The content of one file of a layout, as the editor read it. */
export interface EditableFile {
  /** Real path of the file. */
  readonly path: string;
  readonly exists: boolean;
  readonly text: string;
  /** Keys that lead to the object with the servers, or to where it will be created. */
  readonly keys: readonly string[];
  readonly servers: ReadonlyMap<string, JsonObject>;
}

/** Reads a file for editing. Rejects with `CONFIG_INVALID` if it is ambiguous or outside of the project. */
export async function openEditableFile(
  source: FileSource,
  path: string,
  project: Project,
): Promise<EditableFile> {
  const target = await writablePath(path);
  const rules = source.base === 'project' ? { within: project.root, owners: project.owners } : {};
  if (rules.within !== undefined && !isInside(target, rules.within)) {
    throw new FittingsError(
      'CONFIG_INVALID',
      `${printable(path)} is a symbolic link to a file outside of the project.`,
    );
  }
  const outcome = await readTextFile(target, { maxBytes: DEFAULT_MAX_FILE_BYTES, ...rules });
  if (outcome.kind === 'refused') throw refusal(outcome.problem);
  const text = outcome.kind === 'text' ? outcome.text : '';
  const preferred = (source.servers[0] ?? []).map((segment) =>
    segment === PROJECT_PLACEHOLDER ? project.root : segment,
  );
  const file = { path: target, exists: outcome.kind === 'text', text, keys: preferred };

  const parsed = parseDocument(text, path);
  if ('problem' in parsed) throw refusal(parsed.problem);
  const { root, position } = parsed.document;
  if (root === undefined) return { ...file, servers: new Map() };
  const found = findServerMap(root, source.servers, project.spellings);
  if (found === undefined) return { ...file, servers: new Map() };
  if ('duplicate' in found) throw ambiguous(path, position(found.duplicate.offset).line);
  const members = found.flat ? membersOf(found.node).filter(looksLikeServer) : membersOf(found.node);
  // An object without servers may become a file with a key for them.
  if (found.flat && members.length === 0) return { ...file, servers: new Map() };
  const servers = new Map<string, JsonObject>();
  for (const { key, keyNode, valueNode } of members) {
    const { value, issues } = readJsonValue(valueNode);
    if (servers.has(key) || issues.length > 0) throw ambiguous(path, position(keyNode.offset).line);
    if (isJsonObject(value)) servers.set(key, value);
  }
  return { ...file, keys: found.keys, servers };
}

/** Returns the path with every symbolic link resolved. Rejects with `CONFIG_INVALID` for a broken one, which writing would replace by a file. */
export async function writablePath(path: string): Promise<string> {
  if (!(await isBrokenLink(path))) return resolveLinks(path);
  throw new FittingsError('CONFIG_INVALID', `${printable(path)} is a broken symbolic link.`, {
    hint: 'Create its target, or remove the link.',
  });
}

/** Creates the error for a file that cannot be edited. */
export function refusal({ code, message, line, column, file, hint }: ConfigProblem): FittingsError {
  const location = `${printable(file ?? '')}${line === undefined ? '' : `:${String(line)}`}`;
  return new FittingsError('CONFIG_INVALID', `Cannot edit ${location}. ${message}`, {
    hint,
    details: { problem: code, file, line, column },
  });
}

function ambiguous(file: string, line: number): FittingsError {
  const details = { problem: 'JSON_DUPLICATE_KEY', file, line };
  return new FittingsError(
    'CONFIG_INVALID',
    `Cannot edit ${printable(file)}: the key in line ${String(line)} is ambiguous.`,
    { details },
  );
}
