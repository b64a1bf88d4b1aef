import { createHash } from 'node:crypto';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import type { JsonObject } from '../jsonc/json-value.js';
import { isHostField } from './permissions.js';

/**
 * Hashes a name and its definition, with every field but `disabled` as written and variables unexpanded. The order of keys,
 * comments and whitespace do not affect the hash. An approval is valid for this hash only.
 */
export function definitionHash(name: string, written: JsonObject): string {
  const { disabled: _, ...definition } = written;
  return hashJson({ version: 1, name, definition });
}

/**
 * Hashes scope, project, name, and every field that others than the host read: the key for what belongs to one entry, such as
 * its credentials. The hash is the same in every process and differs between projects.
 */
export function serverIdentity(
  name: string,
  definition: JsonObject,
  location: { readonly scope: string; readonly project: string | undefined },
): string {
  const kept = Object.entries(definition).filter(([field]) => !isHostField(field));
  const { scope, project = null } = location;
  return hashJson({ version: 1, scope, project, name, definition: Object.fromEntries(kept) });
}

function hashJson(value: object): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
