/**
 * Schemas of config entries: their fields, and errors that name the field and the way out.
 *
 * @packageDocumentation
 */
export {
  entrySchema,
  readEntry,
  type EntryOf,
  type EntrySchema,
  type ReadEntryOptions,
} from './entries/entry-schema.js';
export {
  count,
  described,
  eitherOf,
  flag,
  listOf,
  mapOf,
  oneOf,
  required,
  text,
  type Field,
} from './entries/fields.js';
