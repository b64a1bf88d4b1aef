import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { FileReader } from '../files/read-file.js';
import { readJsonValue, type JsonValue } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import {
  PROJECT_PLACEHOLDER,
  type KeyPath,
  type Layout,
  absolutePath,
  type Directories,
} from '../layout/layout.js';
import type { ListedStatus } from './approvals.js';

/**
 * Reads the user's settings files and returns what they say about a server's name. A name in two lists is disabled. An
 * invalid file is ignored. A list that is not under the project's path only preselects names.
 */
export async function readApprovalLists(
  read: FileReader,
  layout: Layout,
  directories: Directories,
  platform: NodeJS.Platform,
  spellings: readonly string[],
): Promise<(name: string) => ListedStatus> {
  const enabled = new Set<string>();
  const preselected = new Set<string>();
  const disabled = new Set<string>();
  for (const source of layout.approvalLists ?? []) {
    const path = absolutePath({ base: 'home', path: source.path }, directories, platform);
    const outcome = path === undefined ? undefined : await read(path);
    if (path === undefined || outcome?.kind !== 'text') continue;
    const parsed = parseDocument(outcome.text, path);
    if ('problem' in parsed || parsed.document.root === undefined) continue;
    const { value } = readJsonValue(parsed.document.root);
    const wanted = source.enabled.includes(PROJECT_PLACEHOLDER) ? enabled : preselected;
    for (const name of namesAtPath(value, source.enabled, spellings)) wanted.add(name);
    for (const name of namesAtPath(value, source.disabled, spellings)) disabled.add(name);
  }
  return (name) => {
    if (disabled.has(name)) return 'disabled';
    if (enabled.has(name)) return 'enabled';
    return preselected.has(name) ? 'preselected' : undefined;
  };
}

function namesAtPath(value: JsonValue, keys: KeyPath, spellings: readonly string[]): readonly string[] {
  let current: unknown = value;
  for (const segment of keys) {
    if (!isRecord(current)) return [];
    const record = current;
    const key = (segment === PROJECT_PLACEHOLDER ? spellings : [segment]).find((spelling) =>
      Object.hasOwn(record, spelling),
    );
    current = key === undefined ? undefined : record[key];
  }
  return Array.isArray(current) ? current.filter((name) => typeof name === 'string') : [];
}
