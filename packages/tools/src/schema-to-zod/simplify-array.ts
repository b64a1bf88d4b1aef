import { DRAFT, knows } from '../schema/dialect.js';
import { type JsonObject, JSON_TYPES } from '../json/copy-json.js';
import { readCounts } from './simplify-scalar.js';
import { allOf, type SimpleSchema } from './simple-schema.js';
import type { Simplifier } from './simplify-schema.js';
import { isSchema } from '../schema/subschemas.js';

/** Reads the keywords that apply to arrays. */
export function simplifyArray(node: JsonObject, pointer: string, simplifier: Simplifier): SimpleSchema {
  // Without `items`, Zod ignores every other keyword of an array.
  const simple: SimpleSchema = { type: 'array', items: {} };
  readItems(node, pointer, simplifier, simple);
  readCounts(node, pointer, simplifier, simple, ['minItems', 'maxItems']);
  if (node['uniqueItems'] === true) simple.uniqueItems = true;

  const { contains } = node;
  if (contains !== undefined && knows(simplifier.draft, 'contains')) {
    if (isSchema(contains)) {
      simple.contains = simplifier.simplify(contains, `${pointer}/contains`);
      if (knows(simplifier.draft, 'minContains')) {
        readCounts(node, pointer, simplifier, simple, ['minContains', 'maxContains']);
        simplifier.ifPartial(() => {
          if (simple.maxContains === undefined) return;
          delete simple.maxContains;
          simplifier.differences.add('maxContains', pointer, 'a part of the schema is not checked');
        });
      }
    } else {
      simplifier.differences.add('contains', pointer, 'it is not a schema');
    }
  }
  if (node['unevaluatedItems'] !== undefined && knows(simplifier.draft, 'unevaluatedItems')) {
    simplifier.differences.add('unevaluatedItems', pointer, 'Zod cannot express it');
  }
  demandFirst(simple);
  return simple;
}

/** Zod fills in missing elements of a tuple if any value is allowed there. Such elements become "any of six types". */
function demandFirst(simple: SimpleSchema): void {
  const { minItems = 0, prefixItems } = simple;
  const isDefinite = ({ type, enum: values, const: value }: SimpleSchema): boolean =>
    type !== undefined || values !== undefined || value !== undefined;
  if (prefixItems === undefined) return;
  simple.prefixItems = prefixItems.map((item, index) =>
    index >= minItems || isDefinite(item) ? item : allOf([anyValue(), item]),
  );
}

/** Accepts every value, but not a missing one. */
function anyValue(): SimpleSchema {
  return { anyOf: JSON_TYPES.map((type) => (type === 'array' ? { type, items: {} } : { type })) };
}

/** Reads `prefixItems` and `items`, or in older drafts an array of `items` and `additionalItems`. */
function readItems(node: JsonObject, pointer: string, simplifier: Simplifier, simple: SimpleSchema): void {
  const modern = node['prefixItems'] !== undefined && knows(simplifier.draft, 'prefixItems');
  const [firstKeyword, restKeyword] = modern ? ['prefixItems', 'items'] : ['items', 'additionalItems'];
  const first = node[firstKeyword];
  if (first === undefined) return;
  if (isSchema(first)) {
    simple.items = simplifier.simplify(first, `${pointer}/items`);
    return;
  }
  if (!Array.isArray(first)) {
    simplifier.differences.add(firstKeyword, pointer, 'it is neither a schema nor an array of schemas');
    return;
  }
  simple.prefixItems = first.map((element, index) =>
    isSchema(element) ? simplifier.simplify(element, `${pointer}/${firstKeyword}/${index}`) : {},
  );
  // 2020-12 has neither an array of `items` nor `additionalItems`.
  const rest = modern || simplifier.draft <= DRAFT.v2019 ? node[restKeyword] : undefined;
  if (rest === false) simple.items = false;
  else if (isSchema(rest)) simple.items = simplifier.simplify(rest, `${pointer}/${restKeyword}`);
}
