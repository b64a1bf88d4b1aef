import { formatPointer, parseFragment, valueAt } from '../json/json-pointer.js';
import type { JsonObject } from '../json/copy-json.js';
import { forEachSubschema, isSchema, type Schema } from './subschemas.js';

/** The schema that a reference points to. */
export interface Target {
  readonly schema: Schema;
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
}

/** Resolves the references of one schema document. References to other documents are never fetched. */
export interface References {
  /** Returns undefined if the reference leads to another document, to nothing, or to a value that is not a schema. */
  resolve(reference: string): Target | undefined;
  /** Whether a part of the document has an `$id` of its own, so that a fragment may mean several parts. */
  readonly ambiguous: boolean;
}

/**
 * Resolves references within a schema document. Most documents have none, so anchors are looked for when the first reference
 * is resolved.
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2
 */
export function createReferences(root: JsonObject): References {
  const documentId = readDocumentId(root);
  let anchors: ReadonlyMap<string, Target> | undefined;
  let ambiguous: boolean | undefined;

  return {
    get ambiguous() {
      return (ambiguous ??= isAmbiguous(root));
    },
    resolve(reference) {
      const fragment = localFragment(reference, documentId);
      if (fragment === undefined) return undefined;
      anchors ??= anchorsOf(root);
      const anchor = anchors.get(fragment);
      if (anchor !== undefined) return anchor;
      const path = parseFragment(fragment);
      if (path === undefined) return undefined;
      const schema = valueAt(root, path);
      return isSchema(schema) ? { schema, pointer: formatPointer(path) } : undefined;
    },
  };
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

/** The document's own URI: a reference that begins with it stays inside the document. */
function readDocumentId(root: JsonObject): string {
  const id = root['$id'] ?? root['id'];
  return typeof id === 'string' ? id.replace(/#.*$/s, '') : '';
}

/** What follows the `#` of a reference into the same document, or undefined for a reference to another one. */
function localFragment(reference: string, documentId: string): string | undefined {
  if (reference.startsWith('#')) return reference.slice(1);
  if (documentId === '') return undefined;
  if (reference === documentId) return '';
  return reference.startsWith(`${documentId}#`) ? reference.slice(documentId.length + 1) : undefined;
}
