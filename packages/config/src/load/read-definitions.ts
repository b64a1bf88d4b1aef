import { printable } from '../display-text.js';
import type { Definition, Origin } from '../entry/definition.js';
import { FILE_TRUST_KEYS } from '../entry/permissions.js';
import { type Member, isJsonObject, readJsonValue, membersOf, type Node } from '../jsonc/json-value.js';
import type { JsonDocument } from '../jsonc/parse-document.js';
import type { KeyPath } from '../layout/layout.js';
import {
  findServerMap,
  looksLikeServer,
  missingMapHint,
  objectsAroundServers,
  strayMap,
} from '../layout/server-map.js';
import { problem, type SourceLocation, type ConfigProblem } from '../problems.js';
import { checkServerName, suggestServerName } from '../server-names.js';
import { type InputDefinition, readInputs } from '../variables/inputs.js';
import { readFileWords, type FileWord } from '../words/file-words.js';

/** A file with more servers than this is rejected as a mistake or an attack. */
const MAX_SERVERS = 1000;

const ISSUE_MESSAGES = {
  JSON_DUPLICATE_KEY: 'The key is defined twice, so that two programs could read different servers.',
  JSON_KEY_REFUSED: 'The key has a special meaning in JavaScript.',
  JSON_VALUE_REFUSED: 'The string contains a lone surrogate, or the number is not finite.',
} as const;

/** A setting of another program, and the file that has it. */
export interface SourceWord extends FileWord {
  readonly file: string;
  /** True if the file is the user's or an administrator's. A file of the project switches off only servers of the project. */
  readonly trusted: boolean;
}

export interface ReadDefinitions {
  readonly definitions: readonly Definition[];
  readonly problems: readonly ConfigProblem[];
  /** Settings of other programs in the document that switch off servers or tools. */
  readonly words?: readonly SourceWord[] | undefined;
  /** Set if the document has no object with servers; `hint` says what to do about it, if that is known. */
  readonly missingMap?: { readonly hint: string | undefined } | undefined;
}

/** Reads the servers of a document. An invalid entry does not affect the others. */
export function readDefinitions(
  document: JsonDocument,
  origin: Origin,
  keyPaths: readonly KeyPath[],
  projectSpellings: readonly string[],
): ReadDefinitions {
  const problems: ConfigProblem[] = [];
  const at = (offset: number): SourceLocation => ({ file: document.file, ...document.position(offset) });
  const none = (found?: ConfigProblem): ReadDefinitions => {
    if (found !== undefined) problems.push(found);
    return { definitions: [], problems };
  };

  const { root } = document;
  if (root === undefined) return { ...none(), missingMap: { hint: undefined } };
  if (root.type !== 'object') {
    return none(
      problem('SHAPE_INVALID', 'The file does not contain an object.', { location: at(root.offset) }),
    );
  }
  if (!origin.trusted) problems.push(...trustClaims(root, at));

  const found = findServerMap(root, keyPaths, projectSpellings);
  const { file, trusted } = origin;
  const around = objectsAroundServers(root, keyPaths, projectSpellings);
  const inputs = readInputs(around);
  const words = readFileWords(around).map((word) => ({
    ...word,
    file,
    trusted,
  }));
  const withoutMap = (hint?: string): ReadDefinitions => ({ ...none(), words, missingMap: { hint } });
  if (found === undefined) return withoutMap(missingMapHint(root, keyPaths));
  if ('duplicate' in found) {
    return none(
      problem('JSON_DUPLICATE_KEY', ISSUE_MESSAGES.JSON_DUPLICATE_KEY, {
        location: at(found.duplicate.offset),
      }),
    );
  }
  if (found.node.type !== 'object') {
    return none(
      problem('SHAPE_INVALID', 'The servers must be an object keyed by name.', {
        location: at(found.node.offset),
      }),
    );
  }
  const members = found.flat ? membersOf(found.node).filter(looksLikeServer) : membersOf(found.node);
  if (found.flat && members.length === 0) return withoutMap(missingMapHint(root, keyPaths));
  const tooMany = members[MAX_SERVERS];
  if (tooMany !== undefined) {
    const message = `The file defines more than ${String(MAX_SERVERS)} servers.`;
    return none(problem('TOO_MANY_SERVERS', message, { location: at(tooMany.keyNode.offset) }));
  }

  const stray = strayMap(root, keyPaths);
  if (!found.flat && stray !== undefined) {
    const key = printable(stray.key);
    problems.push(
      problem('FIELD_IGNORED', `The servers under "${key}" are not read.`, {
        location: at(stray.keyNode.offset),
        hint: `Move them into "${found.keys.join('.')}".`,
      }),
    );
  }
  const definitions: Definition[] = [];
  const repeated = repeatedKeys(members);
  for (const member of members)
    definitions.push(readEntry(member, { origin, inputs }, repeated.has(member.key), at));
  return { definitions, problems, words };
}

function readEntry(
  { key, keyNode, valueNode }: Member,
  file: { readonly origin: Origin; readonly inputs: ReadonlyMap<string, InputDefinition> },
  repeated: boolean,
  at: (offset: number) => SourceLocation,
): Definition {
  const problems: ConfigProblem[] = [];
  const { value, offsets, issues } = readJsonValue(valueNode);
  const locationOf = (path: string): SourceLocation => {
    let current = path;
    while (current !== '' && !offsets.has(current)) current = current.replace(/(?:^|\.|\[)[^.[]*$/, '');
    return at(current === '' ? keyNode.offset : (offsets.get(current) ?? keyNode.offset));
  };
  const paths = [...offsets.keys()].filter((path) => path !== '');
  const reason = checkServerName(key);
  const server = reason === undefined ? key : printable(key);
  if (reason !== undefined) {
    const suggestion = suggestServerName(key);
    const hint =
      suggestion === undefined ? 'Choose another name.' : `Rename it, for example to "${suggestion}".`;
    const location = at(keyNode.offset);
    problems.push(problem('NAME_INVALID', `The server name ${reason}.`, { location, server, hint }));
  }
  if (repeated) {
    const message =
      'The server is defined twice in one file, so that two programs could read different definitions.';
    problems.push(problem('JSON_DUPLICATE_KEY', message, { location: at(keyNode.offset), server }));
  }
  for (const { issue, path, offset } of issues) {
    problems.push(problem(issue, ISSUE_MESSAGES[issue], { location: at(offset), server, path }));
  }
  const usable = reason === undefined && !repeated && issues.length === 0;
  if (!isJsonObject(value)) {
    problems.push(
      problem('SHAPE_INVALID', 'The entry must be an object.', { location: at(valueNode.offset), server }),
    );
  }
  return {
    name: server,
    ...file,
    value: usable && isJsonObject(value) ? value : undefined,
    problems,
    locationOf,
    paths,
  };
}

function repeatedKeys(members: readonly Member[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of members) {
    if (seen.has(key)) repeated.add(key);
    seen.add(key);
  }
  return repeated;
}

function trustClaims(root: Node, at: (offset: number) => SourceLocation): readonly ConfigProblem[] {
  return membersOf(root)
    .filter(({ key }) => FILE_TRUST_KEYS.has(key))
    .map(({ key, keyNode }) =>
      problem('TRUST_KEY_IGNORED', `"${key}" is ignored in a file of the project.`, {
        location: at(keyNode.offset),
        hint: 'Decisions about servers are stored outside of the project.',
      }),
    );
}
