import { isJsonObject } from '../json/copy-json.js';
import type { References, Target } from '../schema/references.js';

/** The `$defs` of a schema for a model: every target of a reference, wherever it is in the server's schema. */
export interface Definitions {
  /** Returns the schema that a reference points to, or undefined if it leads nowhere or is ambiguous. */
  resolve(reference: string): Target | undefined;
  /** Returns the name under `$defs`, or undefined if the reference leads nowhere. */
  nameFor(reference: string): string | undefined;
  /** Returns the next named definition that has not been returned yet, or undefined after the last one. */
  next(): (Target & { readonly name: string }) | undefined;
}

/** Creates an empty `$defs`; {@link Definitions.nameFor} adds to it. */
export function createDefinitions(references: References): Definitions {
  const names = new Map<string, string>();
  const open: (Target & { readonly name: string })[] = [];
  const taken = new Set<string>();
  // With an embedded $id, a fragment may mean several parts.
  const resolve = (reference: string): Target | undefined =>
    references.ambiguous ? undefined : references.resolve(reference);

  return {
    resolve,
    nameFor(reference) {
      const target = resolve(reference);
      if (target === undefined) return undefined;
      const known = names.get(target.pointer);
      if (known !== undefined) return known;
      const name = freeName(target, taken);
      names.set(target.pointer, name);
      taken.add(name);
      open.push({ ...target, name });
      return name;
    },
    next: () => open.pop(),
  };
}

function freeName({ pointer, schema }: Target, taken: ReadonlySet<string>): string {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const title = isJsonObject(schema) && pointer === '' ? 'root' : last;
  const plain = title.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, 56) || 'definition';
  for (let number = 1; ; number++) {
    const name = number === 1 ? plain : `${plain}_${number}`;
    if (!taken.has(name)) return name;
  }
}
