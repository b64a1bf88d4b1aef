import { printable } from '../display-text.js';
import { membersOf, type Member, type Node } from '../jsonc/json-value.js';
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

/** The objects in which the maps of servers are, or would be: settings beside the servers are in them. */
export function objectsAroundServers(
  root: Node,
  keyPaths: readonly KeyPath[],
  projectSpellings: readonly string[],
): readonly Node[] {
  const around = keyPaths.map((keyPath) => {
    let nodes: readonly Node[] = [root];
    for (const segment of keyPath.slice(0, -1)) {
      const wanted = segment === PROJECT_PLACEHOLDER ? projectSpellings : [segment];
      nodes = nodes.flatMap((node) =>
        membersOf(node).flatMap(({ key, valueNode }) => (wanted.includes(key) ? [valueNode] : [])),
      );
    }
    return nodes;
  });
  return [...new Set([root, ...around.flat()])];
}

/** Returns true if a member at the top level of a file is a server. */
export function looksLikeServer({ valueNode }: Member): boolean {
  const marks = ['type', 'transportType', 'command', 'cmd', 'url', 'httpUrl', 'serverUrl', 'baseUrl', 'uri'];
  return membersOf(valueNode).some(({ key }) => marks.includes(key));
}

/** Keys under which other programs keep their servers. */
const OTHER_KEYS = /^(?:(?:amp\.)?mcp[-_.]?servers?|servers|context[-_]?servers|mcp|extensions)$/i;

/** A member of the file that has servers, and that is not where the layout looks for them. */
export function strayMap(root: Node, keyPaths: readonly KeyPath[]): Member | undefined {
  const wanted = new Set(keyPaths.map(([key]) => key));
  const holdsServers = (node: Node): boolean =>
    membersOf(node).some((member) => looksLikeServer(member)) ||
    membersOf(node).some(({ key, valueNode }) => OTHER_KEYS.test(key) && holdsServers(valueNode));
  return membersOf(root).find(
    ({ key, valueNode }) => !wanted.has(key) && OTHER_KEYS.test(key) && holdsServers(valueNode),
  );
}

/** Returns what to do about a document without servers at the expected keys, if it has some elsewhere. */
export function missingMapHint(root: Node, keyPaths: readonly KeyPath[]): string | undefined {
  const wanted = keyPaths.find((keys) => keys.length === 1)?.[0];
  if (wanted === undefined) return undefined;
  const other = strayMap(root, keyPaths);
  if (other !== undefined) return `Rename "${printable(other.key)}" to "${wanted}".`;
  return membersOf(root).some(looksLikeServer)
    ? `Move the servers into an object under the key "${wanted}".`
    : undefined;
}
