import type { JsonValue } from '../jsonc/json-value.js';
import { fieldPath } from '../text/field-path.js';
import { entrySchema } from './entry-schema.js';
import type { EntryFault } from './normalise.js';

/** What the common fields of an entry get wrong. Messages name types and limits, never the value. */
export function checkFields(entry: JsonValue): readonly EntryFault[] {
  const result = entrySchema.safeParse(entry);
  if (result.success) return [];
  return result.error.issues.map((issue) => ({
    code: 'FIELD_INVALID',
    path: fieldPath(issue.path),
    message: `${issue.path.length === 0 ? 'The entry' : `"${fieldPath(issue.path)}"`} is not right: ${issue.message}.`,
  }));
}
