import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';

/** Returns a short digest of a JSON value. It does not depend on the order of members. */
export function digestOf(value: unknown): string {
  return hashText(canonicalJson(value)).slice(0, 22);
}

/** Limits of a JSON value of a server. */
export interface Bounds {
  /** Most objects, arrays, members and elements together. */
  readonly maxNodes: number;
  /** Most levels of objects and arrays. */
  readonly maxDepth: number;
  /** Most characters of all names and strings, which is about the size of the JSON text in bytes. */
  readonly maxBytes: number;
}

export interface Size {
  readonly nodes: number;
  readonly bytes: number;
  /** The bound that the value exceeds, as the end of a sentence. Measuring stopped there. */
  readonly problem?: string | undefined;
}

/** Approximate bytes of a number, a boolean, or the punctuation of a member. */
const SMALL = 4;

/**
 * Measures a parsed JSON value. Stops at the first bound that it exceeds, so it never takes more than `maxNodes` steps. (V8
 * collects the names of one object before the first step, which costs less than parsing them did; lists are read by index instead.)
 */
export function measure(value: unknown, { maxNodes, maxDepth, maxBytes }: Bounds): Size {
  let nodes = 1;
  let bytes = 0;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: node, depth } = next;
    bytes += typeof node === 'string' ? node.length + SMALL : SMALL;
    if (typeof node === 'object' && node !== null) {
      if (depth > maxDepth) return { nodes, bytes, problem: `is nested deeper than ${maxDepth} levels` };
      if (Array.isArray(node)) {
        for (let index = 0; index < node.length && ++nodes <= maxNodes; index++)
          open.push({ value: node[index], depth: depth + 1 });
      } else {
        // oxlint-disable-next-line unicorn/no-for-in, guard-for-in -- Object.keys would list half a million names first; JSON.parse gives own members only
        for (const key in node) {
          bytes += key.length + SMALL;
          if (++nodes > maxNodes || bytes > maxBytes) break;
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object read by the name of its own member
          open.push({ value: (node as Record<string, unknown>)[key], depth: depth + 1 });
        }
      }
    }
    if (nodes > maxNodes) return { nodes, bytes, problem: `has more than ${maxNodes} parts` };
    if (bytes > maxBytes) return { nodes, bytes, problem: `is larger than ${maxBytes} bytes` };
  }
  return { nodes, bytes };
}
