/** How large a JSON value of a stranger may be. */
export interface Bounds {
  /** Objects, arrays, members and elements. */
  readonly maxNodes: number;
  /** Levels of objects and arrays. */
  readonly maxDepth: number;
  /** Characters of all names and texts, which is about the bytes of the JSON text. */
  readonly maxBytes: number;
}

export interface Size {
  readonly nodes: number;
  readonly bytes: number;
  /** Which bound it exceeds, in words; the counting stopped there. */
  readonly problem?: string | undefined;
}

/** Bytes that a number, a truth value or the punctuation of a member takes, about. */
const SMALL = 4;

/**
 * Measures a parsed JSON value, and stops at the first bound that it exceeds: never more than `maxNodes` steps, whatever
 * it is given.
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
      const isList = Array.isArray(node);
      // oxlint-disable-next-line unicorn/no-for-in, guard-for-in -- Object.keys would list half a million names first; JSON.parse gives own members only
      for (const key in node) {
        nodes++;
        if (!isList) bytes += key.length + SMALL;
        if (nodes > maxNodes) return { nodes, bytes, problem: `has more than ${maxNodes} parts` };
        if (bytes > maxBytes) return { nodes, bytes, problem: `is larger than ${maxBytes} bytes` };
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object read by the name of its own member
        open.push({ value: (node as Record<string, unknown>)[key], depth: depth + 1 });
      }
    }
    if (bytes > maxBytes) return { nodes, bytes, problem: `is larger than ${maxBytes} bytes` };
  }
  return { nodes, bytes };
}
