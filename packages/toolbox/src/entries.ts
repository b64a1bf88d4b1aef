/**
 * Schemas and secrets of config entries, and checks of the options of a function: errors that name the field and the way out.
 *
 * @packageDocumentation
 */
export { checkMember, checkOptions, kindOf, type OptionNames } from './entries/check-options.js';
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
export { isSecretName, secretsOfEntry } from './entries/secrets.js';
