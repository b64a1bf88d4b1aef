import { formatPointer, parseFragment, valueAt } from '../json/json-pointer.js';
import type { JsonObject } from '../json/copy-json.js';
import { forEachSubschema, isSchema, type Schema } from './subschemas.js';

/** The schema that a reference points to. */
export interface Target {
  readonly schema: Schema;
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
}

/**
 * Resolves references within a schema document. References to other documents are never fetched. Most documents have no reference,
 * so anchors are looked for when the first one is resolved.
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2
 */
export class References {
  readonly #root: JsonObject;
  #anchors: ReadonlyMap<string, Target> | undefined;
  #ambiguous: boolean | undefined;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** True if a part of the document has an `$id` of its own, so that a fragment may mean several parts. */
  get ambiguous(): boolean {
    return (this.#ambiguous ??= isAmbiguous(this.#root));
  }

  /** Returns undefined if the reference leads to another document, to nothing, or to a value that is not a schema. */
  resolve(reference: string): Target | undefined {
    const fragment = localFragment(reference, readDocumentId(this.#root));
    if (fragment === undefined) return undefined;
    this.#anchors ??= anchorsOf(this.#root);
    const anchor = this.#anchors.get(fragment);
    if (anchor !== undefined) return anchor;
    const path = parseFragment(fragment);
    if (path === undefined) return undefined;
    const schema = valueAt(this.#root, path);
    return isSchema(schema) ? { schema, pointer: formatPointer(path) } : undefined;
  }
}

/** Returns whether there are both a reference and a part that has an `$id` of its own. */
function isAmbiguous(root: JsonObject): boolean {
  let hasEmbeddedId = false;
  let hasReference = false;
  const visit = (schema: Schema): void => {
    if (typeof schema === 'boolean') return;
    const id = schema['$id'];
    if (typeof schema['$ref'] === 'string') hasReference = true;
    if (typeof id === 'string' && schema !== root && !id.startsWith('#')) hasEmbeddedId = true;
    forEachSubschema(schema, visit);
  };
  visit(root);
  return hasEmbeddedId && hasReference;
}

function anchorsOf(root: JsonObject): ReadonlyMap<string, Target> {
  const anchors = new Map<string, Target>();
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (typeof schema === 'boolean') return;
    const id = schema['$id'];
    for (const name of [schema['$anchor'], typeof id === 'string' && id.startsWith('#') ? id.slice(1) : '']) {
      if (typeof name === 'string' && name !== '') {
        anchors.set(name, { schema, pointer: formatPointer(path) });
      }
    }
    forEachSubschema(schema, (inner, keyword, step) =>
      visit(inner, step === undefined ? [...path, keyword] : [...path, keyword, step]),
    );
  };
  visit(root, []);
  return anchors;
}

/** Reads the document's own URI: a reference that begins with it stays inside the document. */
function readDocumentId(root: JsonObject): string {
  const id = root['$id'] ?? root['id'];
  return typeof id === 'string' ? id.replace(/#.*$/s, '') : '';
}

/** Returns what follows the `#` of a reference into the same document, or undefined for a reference to another one. */
function localFragment(reference: string, documentId: string): string | undefined {
  if (reference.startsWith('#')) return reference.slice(1);
  if (documentId === '') return undefined;
  if (reference === documentId) return '';
  return reference.startsWith(`${documentId}#`) ? reference.slice(documentId.length + 1) : undefined;
}
