import { isJsonObject } from '../json/copy-json.js';
import { freeName } from '../names/keys.js';
import type { References, Target } from '../schema/references.js';

/** The `$defs` of a schema for a model: every target of a reference, wherever it is in the server's schema. */
export class Definitions {
  readonly #references: References;
  readonly #names = new Map<string, string>();
  readonly #open: (Target & { readonly name: string })[] = [];
  readonly #taken = new Set<string>();

  constructor(references: References) {
    this.#references = references;
  }

  /** Returns the schema that a reference points to, or undefined if it leads nowhere or is ambiguous. */
  resolve(reference: string): Target | undefined {
    // With an embedded $id, a fragment may mean several parts.
    return this.#references.ambiguous ? undefined : this.#references.resolve(reference);
  }

  /** Returns the name under `$defs`, or undefined if the reference leads nowhere. */
  nameFor(reference: string): string | undefined {
    const target = this.resolve(reference);
    if (target === undefined) return undefined;
    const known = this.#names.get(target.pointer);
    if (known !== undefined) return known;
    const name = freeName(wantedName(target), this.#taken);
    this.#names.set(target.pointer, name);
    this.#open.push({ ...target, name });
    return name;
  }

  /** Returns the next named definition that has not been returned yet, or undefined after the last one. */
  next(): (Target & { readonly name: string }) | undefined {
    return this.#open.pop();
  }
}

function wantedName({ pointer, schema }: Target): string {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const title = isJsonObject(schema) && pointer === '' ? 'root' : last;
  return title.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, 56) || 'definition';
}
