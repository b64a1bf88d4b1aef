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
/** Up to draft-07, keywords next to a reference are ignored. Ajv still looks at `type`: see {@link withoutSiblings}. */
const OLD = { ...OPTIONS, ignoreKeywordsWithRef: true };

/** Keywords that an older draft ignores and its validator knows. */
const SINCE_6 = ['const', 'contains', 'propertyNames'];
const SINCE_7 = ['if', 'then', 'else'];
const without = (ajv, keywords) => keywords.reduce((rest, keyword) => rest.removeKeyword(keyword), ajv);

/** @type {readonly (readonly [id: string, make: (more: object) => Ajv])[]} */
const DRAFTS = [
  [
    'json-schema.org/draft-04/schema',
    (more) => without(new Ajv04.default({ ...OLD, ...more }), [...SINCE_6, ...SINCE_7]),
  ],
  ['json-schema.org/draft-06/schema', (more) => without(new Ajv({ ...OLD, ...more }), SINCE_7)],
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

/** The draft that a schema names, 2020-12 if it names none; undefined if it names another one. */
export function draftOf({ $schema }) {
  if ($schema === undefined) return MODERN;
  const id = String($schema)
    .replace(/^https?:\/\//, '')
    .replace(/#$/, '');
  return DRAFTS.some(([known]) => known === id) ? id : undefined;
}

/**
 * Compiles a schema. Returns undefined if the validator cannot judge it: another dialect, a reference to another document, a
 * keyword whose value its draft does not allow.
 * @returns {((value: unknown) => boolean) & { errors?: readonly { schemaPath: string }[] | null } | undefined}
 */
export function judgeOf(schema, { allErrors = false } = {}) {
  const draft = draftOf(schema);
  if (draft === undefined) return undefined;
  // The draft is chosen already, and Ajv would look for the meta-schema.
  const { $schema: _, ...rest } = schema;
  const plain = /draft-0[467]/.test(draft) ? withoutSiblings(rest) : rest;
  for (const unicodeRegExp of [true, false]) {
    const ajv = validatorFor(draft, { allErrors, unicodeRegExp });
    try {
      return judging(ajv.compile(plain));
    } catch {
      // Many patterns of servers, such as `[\w\-]`, are invalid with the `u` flag.
    } finally {
      ajv.removeSchema(plain);
    }
  }
  return undefined;
}

const DATA = ['enum', 'const', 'default', 'examples', 'required'];
const NAMED = ['properties', 'definitions', '$defs', 'patternProperties', 'dependencies', 'dependentSchemas'];

/** Removes what has no effect next to a reference: everything but the definitions. */
function withoutSiblings(schema) {
  if (Array.isArray(schema)) return schema.map(withoutSiblings);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (DATA.includes(keyword)) return [keyword, value];
    if (!NAMED.includes(keyword) || typeof value !== 'object') return [keyword, withoutSiblings(value)];
    return [
      keyword,
      Object.fromEntries(
        Object.entries(value ?? {}).map(([name, member]) => [name, withoutSiblings(member)]),
      ),
    ];
  });
  const kept =
    typeof schema.$ref === 'string'
      ? entries.filter(([keyword]) => ['$ref', 'definitions', '$defs'].includes(keyword))
      : entries;
  return Object.fromEntries(kept);
}

/** A schema that refers to itself without descending into the value has no verdict. */
export class NoVerdict extends Error {}

function judging(validate) {
  const judge = (value) => {
    try {
      return validate(value);
    } catch (cause) {
      throw new NoVerdict('The validator does not come to an end.', { cause });
    } finally {
      judge.errors = validate.errors;
    }
  };
  return judge;
}

/** Returns why the meta-schema of 2020-12 rejects a schema, or undefined. */
export function metaProblem(schema) {
  const ajv = validatorFor(MODERN, { validateSchema: true, messages: true });
  return ajv.validateSchema(schema) === true ? undefined : ajv.errorsText(ajv.errors, { dataVar: '' });
}
