/** Ajv as the judge: what a schema accepts in its own draft. */
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Ajv04 from 'ajv-draft-04';

const OPTIONS = {
  strict: false,
  // The schemas of servers have mistakes that no validator of values trips over.
  validateSchema: false,
  // As in JSON Schema, and as the conversions say: formats are annotations.
  validateFormats: false,
  addUsedSchema: false,
  // 0.3 is a multiple of 0.1.
  multipleOfPrecision: 9,
  logger: false,
  messages: false,
};
/** Up to draft-07, keywords next to a reference are ignored. */
const OLD = { ...OPTIONS, ignoreKeywordsWithRef: true };

/** @type {readonly (readonly [id: string, make: (more: object) => Ajv])[]} */
const DRAFTS = [
  ['json-schema.org/draft-04/schema', (more) => new Ajv04.default({ ...OLD, ...more })],
  ['json-schema.org/draft-06/schema', (more) => new Ajv({ ...OLD, ...more })],
  ['json-schema.org/draft-07/schema', (more) => new Ajv({ ...OLD, ...more })],
  ['json-schema.org/draft/2019-09/schema', (more) => new Ajv2019({ ...OPTIONS, ...more })],
  ['json-schema.org/draft/2020-12/schema', (more) => new Ajv2020({ ...OPTIONS, ...more })],
];
const MODERN = 'json-schema.org/draft/2020-12/schema';

/** @type {Map<string, Ajv>} */
const validators = new Map();

/** One validator for each draft: it takes longer to create than a schema to compile. */
function validatorFor(draft, more = {}) {
  const key = JSON.stringify([draft, more]);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = DRAFTS.find(([id]) => id === draft)?.[1](more);
  if (made === undefined) return undefined;
  validators.set(key, made);
  return made;
}

/** The draft that a schema names, 2020-12 if it names none; undefined if it is none of these. */
export function draftOf({ $schema }) {
  if ($schema === undefined) return MODERN;
  const id = String($schema)
    .replace(/^https?:\/\//, '')
    .replace(/#$/, '');
  return DRAFTS.some(([known]) => known === id) ? id : undefined;
}

/**
 * Compiles a schema. Returns undefined if the validator cannot judge it: another dialect, a reference to another document, a
 * keyword whose value is none of its draft.
 * @returns {((value: unknown) => boolean) & { errors?: readonly { schemaPath: string }[] | null } | undefined}
 */
export function judgeOf(schema, { allErrors = false } = {}) {
  const draft = draftOf(schema);
  if (draft === undefined) return undefined;
  // The draft is chosen already, and Ajv would look for the meta-schema.
  const { $schema: _, ...plain } = schema;
  for (const unicodeRegExp of [true, false]) {
    const ajv = validatorFor(draft, { allErrors, unicodeRegExp });
    try {
      return ajv.compile(plain);
    } catch {
      // Many patterns of servers, such as `[\w\-]`, are invalid with the `u` flag.
    } finally {
      ajv.removeSchema(plain);
    }
  }
  return undefined;
}

/** Returns why the meta-schema of 2020-12 rejects a schema, or undefined. */
export function metaProblem(schema) {
  const ajv = validatorFor(MODERN, { validateSchema: true, messages: true });
  return ajv.validateSchema(schema) === true ? undefined : ajv.errorsText(ajv.errors, { dataVar: '' });
}
