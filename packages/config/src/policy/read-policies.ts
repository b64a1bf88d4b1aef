import { isRecord } from '@mcp-fittings/toolbox/messages';
import { printable } from '../display-text.js';
import type { FileReader } from '../files/read-file.js';
import { readJsonValue, type JsonValue } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import {
  type KeyPath,
  type Layout,
  type PolicySource,
  absolutePath,
  type Directories,
} from '../layout/layout.js';
import { foldWord, isMisspelling } from '../words/foreign-words.js';
import { CONFIG_PROBLEM_CODES, problem, type SourceLocation, type ConfigProblem } from '../problems.js';
import { parsePolicy, type ServerPolicy } from './policy.js';

/** The policies to apply. `undefined` means that one of them is invalid, so that no server is permitted. */
export interface PolicySet {
  readonly policies: readonly ServerPolicy[] | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** Reads the host's policy and those of the administrator's files. An unreadable file makes the result invalid. */
export async function readPolicies(
  read: FileReader,
  layout: Layout,
  directories: Directories,
  platform: NodeJS.Platform,
  own: ServerPolicy | undefined,
): Promise<PolicySet> {
  const policies: ServerPolicy[] = [];
  const problems: ConfigProblem[] = [];
  const block = (message: string, location?: SourceLocation): void => {
    problems.push(
      problem('POLICY_INVALID', `${message} No server is permitted until the policy is corrected.`, {
        location,
        hint: 'Ask your administrator.',
      }),
    );
  };

  if (own !== undefined) {
    const parsed = parsePolicy(own);
    if ('policy' in parsed) policies.push(parsed.policy);
    else block(`The policy of the host ${parsed.error}.`);
  }
  for (const source of layout.policies ?? []) {
    const path = absolutePath({ base: 'system', path: source.path }, directories, platform);
    if (path === undefined) continue;
    const outcome = await read(path, { refuseBrokenLink: true });
    if (outcome.kind === 'absent') continue;
    if (outcome.kind === 'refused') {
      block(outcome.problem.message, { file: path });
      continue;
    }
    const found = parsePolicyFile(outcome.text, path, source);
    if ('policy' in found) policies.push(found.policy);
    else block(found.message, found.location);
  }
  return { policies: problems.length > 0 ? undefined : policies, problems };
}

function parsePolicyFile(
  text: string,
  file: string,
  source: PolicySource,
): { readonly policy: ServerPolicy } | { readonly message: string; readonly location: SourceLocation } {
  const parsed = parseDocument(text, file);
  if ('problem' in parsed) {
    const { message, line, column } = parsed.problem;
    return { message, location: { file, line, column } };
  }
  const { root, position } = parsed.document;
  // An empty file may be left by an interrupted copy or a full disk, so it counts as an invalid policy.
  if (root === undefined)
    return { message: 'The policy file is empty.', location: { file, line: 1, column: 1 } };
  const located = readJsonValue(root);
  const [issue] = located.issues;
  if (issue !== undefined) {
    return {
      message: `"${issue.path}" is ambiguous. ${CONFIG_PROBLEM_CODES[issue.issue].meaning}`,
      location: { file, ...position(issue.offset) },
    };
  }
  const { value } = located;
  if (!isRecord(value))
    return { message: 'The policy file does not contain an object.', location: { file, line: 1, column: 1 } };
  for (const keys of [source.allow, source.deny]) {
    const near = nearMiss(value, keys, [...source.allow, ...source.deny]);
    if (near !== undefined) {
      const message = `The policy has the key "${printable(near)}", where "${keys.join('.')}" may be meant.`;
      return { message, location: { file } };
    }
  }
  const allow = listAt(value, source.allow, source.form);
  const deny = listAt(value, source.deny, source.form);
  const policy = parsePolicy({ ...(allow !== undefined && { allow }), ...(deny !== undefined && { deny }) });
  return 'policy' in policy ? policy : { message: `The policy ${policy.error}.`, location: { file } };
}

/** A key that is spelled almost like one that leads to a list: ignoring it would permit what it forbids. */
function nearMiss(value: JsonValue, keys: KeyPath, lists: readonly string[]): string | undefined {
  let current: unknown = value;
  for (const [depth, key] of keys.entries()) {
    if (!isRecord(current)) return undefined;
    const isLast = depth === keys.length - 1;
    const near = Object.keys(current).find(
      (other) =>
        !lists.includes(other) && (isMisspelling(other, key) || (isLast && seemsToBeList(other, depth))),
    );
    if (near !== undefined) return [...keys.slice(0, depth), near].join('.');
    current = Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return undefined;
}

/** Returns true if a key beside the lists says that it permits or forbids servers, in words that are not those of the layout. */
function seemsToBeList(key: string, depth: number): boolean {
  const word = foldWord(key);
  return (
    /^(?:allow|permit|den[iy]|block|exclude|disallow|forbid)/.test(word) &&
    !word.endsWith('only') &&
    (depth > 0 || word.includes('server'))
  );
}

/** The list as rules, unchecked; null if a value on the way to it is not an object. */
function listAt(value: JsonValue, keys: KeyPath, form: PolicySource['form']): unknown {
  let current: unknown = value;
  for (const key of keys) {
    if (!isRecord(current)) return null;
    if (!Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return form === 'names' && Array.isArray(current)
    ? current.map((serverName: unknown) => ({ serverName }))
    : current;
}
