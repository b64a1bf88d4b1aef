import type { Node } from 'jsonc-parser';
import { membersOf, type Member } from '../jsonc/json-value.js';
import { PROJECT_PLACEHOLDER, type KeyPath } from './layout.js';

export interface ServerMap {
  readonly node: Node;
  /** How it is reached, with the project spelled as it is spelled there. */
  readonly keys: readonly string[];
  /** The file itself is the map: anything may stand beside the servers. */
  readonly flat: boolean;
}

/** Where a document keeps its servers, or the key on the way there that stands twice. */
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

/** Tells servers from whatever else stands in a flat map. */
export function looksLikeServer({ valueNode }: Member): boolean {
  const marks = ['type', 'transportType', 'command', 'url', 'httpUrl', 'serverUrl'];
  return membersOf(valueNode).some(({ key }) => marks.includes(key));
}
