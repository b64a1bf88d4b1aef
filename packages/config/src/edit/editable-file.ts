import { FittingsError } from '@mcp-fittings/client-core';
import {
  DEFAULT_MAX_FILE_BYTES,
  isBrokenLink,
  isInside,
  readTextFile,
  resolveLinks,
} from '../files/read-file.js';
import { type JsonObject, isJsonObject, locatedValue, membersOf } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import { PROJECT_PLACEHOLDER, type FileSource } from '../layout/layout.js';
import { findServerMap, looksLikeServer } from '../layout/server-map.js';
import type { ConfigProblem } from '../problems.js';
import type { Project } from '../layout/find-project.js';
import { printable } from '../display-text.js';

/** One file of a layout as an editor sees it at one moment. */
export interface EditableFile {
  /** The file itself, links followed. */
  readonly path: string;
  readonly exists: boolean;
  readonly text: string;
  /** Where the servers are, or would be. */
  readonly keys: readonly string[];
  readonly servers: ReadonlyMap<string, JsonObject>;
}

/** Reads a file to edit it. Rejects with `CONFIG_INVALID` when an edit could mean two things or touch something else. */
export async function openEditableFile(
  source: FileSource,
  path: string,
  project: Project,
): Promise<EditableFile> {
  // A write would put a file into the place of the link.
  if (await isBrokenLink(path)) {
    throw new FittingsError('CONFIG_INVALID', `${printable(path)} is a link that leads nowhere.`, {
      hint: 'Create the file that it leads to, or remove the link.',
    });
  }
  const target = await resolveLinks(path);
  const rules = source.base === 'project' ? { within: project.root, owners: project.owners } : {};
  if (rules.within !== undefined && !isInside(target, rules.within)) {
    throw new FittingsError('CONFIG_INVALID', `${printable(path)} is a link that leads out of the project.`);
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
  // An object without servers is no flat map yet.
  if (found.flat && members.length === 0) return { ...file, servers: new Map() };
  const servers = new Map<string, JsonObject>();
  for (const { key, keyNode, valueNode } of members) {
    const { value, issues } = locatedValue(valueNode);
    if (servers.has(key) || issues.length > 0) throw ambiguous(path, position(keyNode.offset).line);
    if (isJsonObject(value)) servers.set(key, value);
  }
  return { ...file, keys: found.keys, servers };
}

function refusal({ code, message, line, column, file, hint }: ConfigProblem): FittingsError {
  const location = `${printable(file ?? '')}${line === undefined ? '' : `:${String(line)}`}`;
  return new FittingsError('CONFIG_INVALID', `${location} cannot be edited. ${message}`, {
    hint,
    details: { problem: code, file, line, column },
  });
}

function ambiguous(file: string, line: number): FittingsError {
  const details = { problem: 'JSON_DUPLICATE_KEY', file, line };
  return new FittingsError(
    'CONFIG_INVALID',
    `${printable(file)} can't be read in one way only, see line ${String(line)}.`,
    { details },
  );
}
