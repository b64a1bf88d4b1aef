import type { Node } from 'jsonc-parser';
import { membersOf, type Member } from '../jsonc/json-value.js';
import { PROJECT_PLACEHOLDER, type KeyPath } from './layout.js';

export interface ServerMap {
  readonly node: Node;
  /** Keys that lead to it, with the project spelled as in the file. */
  readonly keys: readonly string[];
  /** True if the map is the top level of the file, which may have other members besides servers. */
  readonly flat: boolean;
}

/** Finds the object with the servers of a document, or the key on the way there that is defined twice. */
export function findServerMap(
  root: Node,
  keyPaths: readonly KeyPath[],
  projectSpellings: readonly string[],
): ServerMap | { readonly duplicate: Node } | undefined {
  for (const keyPath of keyPaths) {
    let node: Node | undefined = root;
    const keys: string[] = [];
    for (const segment of keyPath) {
      const wanted = segment === PROJECT_PLACEHOLDER ? projectSpellings : [segment];
      const members: readonly Member[] = node === undefined ? [] : membersOf(node);
      const key = wanted.find((spelling) => members.some((member) => member.key === spelling));
      const [first, second] = members.filter((member) => member.key === key);
      if (second !== undefined) return { duplicate: second.keyNode };
      node = first?.valueNode;
      keys.push(key ?? segment);
    }
    if (node !== undefined && node.type !== 'null') return { node, keys, flat: keyPath.length === 0 };
  }
  return undefined;
}

/** Whether a member at the top level of a file is a server. */
export function looksLikeServer({ valueNode }: Member): boolean {
  const marks = ['type', 'transportType', 'command', 'url', 'httpUrl', 'serverUrl'];
  return membersOf(valueNode).some(({ key }) => marks.includes(key));
}
