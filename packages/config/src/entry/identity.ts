import { createHash } from 'node:crypto';
import { HOST_FIELDS } from './permissions.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../jsonc/json-value.js';

/**
 * Identifies a definition by everything in it: each field, known or not, as written, variables unexpanded. Order of
 * keys, comments and white space do not count, since they change nothing.
 */
export function definitionHash(name: string, definition: JsonValue): string {
  return createHash('sha256')
    .update(canonicalJson({ version: 1, name, definition }))
    .digest('hex');
}

/**
 * Identifies an entry for what belongs to it alone, such as its credentials: scope, project, name, and every field except
 * those that only switch it off, describe it, or grant something. Stable across processes; equal for no two projects.
 */
export function serverIdentity(
  name: string,
  definition: JsonObject,
  location: { readonly scope: string; readonly project: string | undefined },
): string {
  const kept = Object.entries(definition).filter(([field]) => !HOST_FIELDS.includes(field));
  const { scope, project = null } = location;
  return createHash('sha256')
    .update(canonicalJson({ version: 1, scope, project, name, definition: Object.fromEntries(kept) }))
    .digest('hex');
}
