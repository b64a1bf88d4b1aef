import { isJsonObject } from '../json/copy-json.js';
import type { References, Target } from '../schema/references.js';

/** The `$defs` of a schema for a model: what its references lead to, wherever the server keeps it. */
export interface Definitions {
  resolve(reference: string): Target | undefined;
  /** The name under `$defs`; undefined for a reference that leads nowhere. */
  nameFor(reference: string): string | undefined;
  /** A definition that has a name and has not been given out. */
  next(): (Target & { readonly name: string }) | undefined;
}

export function createDefinitions(references: References): Definitions {
  const names = new Map<string, string>();
  const open: (Target & { readonly name: string })[] = [];
  const taken = new Set<string>();
  // With an $id inside, a fragment does not say which part it means.
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
