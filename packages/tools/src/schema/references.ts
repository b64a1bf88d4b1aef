import { fragmentOf, ownIdOf } from './admit.js';
import { pathOfFragment, pointerOf, valueAt } from '../json/json-pointer.js';
import type { JsonObject } from '../json/copy-json.js';
import { isSchema, subschemas, type Schema } from './subschemas.js';

export interface Target {
  readonly schema: Schema;
  readonly pointer: string;
}

/** Finds what the references of one document point to, inside of that document. */
export interface References {
  /** Undefined when there is nothing there, or no schema. */
  resolve(reference: string): Target | undefined;
  /** A part of the document has a URI of its own: a fragment does not say which part it means. */
  readonly ambiguous: boolean;
}

export function createReferences(root: JsonObject): References {
  const ownId = ownIdOf(root);
  const anchors = new Map<string, Target>();
  let embedded = false;
  let used = false;
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (typeof schema === 'boolean') return;
    const id = schema['$id'];
    if (typeof schema['$ref'] === 'string') used = true;
    if (typeof id === 'string' && path.length > 0 && !id.startsWith('#')) embedded = true;
    for (const name of [schema['$anchor'], typeof id === 'string' && id.startsWith('#') ? id.slice(1) : '']) {
      if (typeof name === 'string' && name !== '') anchors.set(name, { schema, pointer: pointerOf(path) });
    }
    for (const [step, inner] of subschemas(schema)) visit(inner, [...path, ...step]);
  };
  visit(root, []);

  return {
    ambiguous: embedded && used,
    resolve(reference) {
      const fragment = fragmentOf(reference, ownId);
      if (fragment === undefined) return undefined;
      const anchor = anchors.get(fragment);
      if (anchor !== undefined) return anchor;
      const path = pathOfFragment(fragment);
      if (path === undefined) return undefined;
      const schema = valueAt(root, path);
      return isSchema(schema) ? { schema, pointer: pointerOf(path) } : undefined;
    },
  };
}
