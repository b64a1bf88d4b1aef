import { DRAFT, knows } from '../schema/dialect.js';
import type { JsonObject } from '../json/copy-json.js';
import { readCounts } from './simplify-scalar.js';
import { allOf, JSON_TYPES, type SimpleSchema } from './simple-schema.js';
import type { Simplifying } from './simplifier.js';
import { isSchema } from '../schema/subschemas.js';

export function simplifyArray(node: JsonObject, pointer: string, context: Simplifying): SimpleSchema {
  // Without `items` Zod drops every other keyword of a list.
  const simple: SimpleSchema = { type: 'array', items: {} };
  readItems(node, pointer, context, simple);
  readCounts(node, pointer, context, simple, ['minItems', 'maxItems']);
  if (node['uniqueItems'] === true) simple.uniqueItems = true;

  const { contains } = node;
  if (contains !== undefined && knows(context.draft, 'contains')) {
    if (isSchema(contains)) {
      simple.contains = context.simplify(contains, `${pointer}/contains`);
      if (knows(context.draft, 'minContains')) {
        readCounts(node, pointer, context, simple, ['minContains', 'maxContains']);
        context.counts([`${pointer}/contains`], () => {
          if (simple.maxContains === undefined) return;
          delete simple.maxContains;
          context.report.add('maxContains', pointer, 'what it counts is not checked in full');
        });
      }
    } else {
      context.report.add('contains', pointer, 'it is not a schema');
    }
  }
  if (node['unevaluatedItems'] !== undefined && knows(context.draft, 'unevaluatedItems')) {
    context.report.add('unevaluatedItems', pointer, 'Zod can not express it');
  }
  demandFirst(simple);
  return simple;
}

/** Zod fills in the missing elements of a tuple where they may be anything: such elements become "any of six types". */
function demandFirst(simple: SimpleSchema): void {
  const { minItems = 0, prefixItems } = simple;
  const isDefinite = ({ type, enum: values, const: value }: SimpleSchema): boolean =>
    type !== undefined || values !== undefined || value !== undefined;
  if (prefixItems === undefined) return;
  simple.prefixItems = prefixItems.map((item, index) =>
    index >= minItems || isDefinite(item) ? item : allOf([anyValue(), item]),
  );
}

/** Fits every value, and no absent one. */
function anyValue(): SimpleSchema {
  return { anyOf: JSON_TYPES.map((type) => (type === 'array' ? { type, items: {} } : { type })) };
}

/** `prefixItems` and `items`, or in older revisions a list of `items` and `additionalItems`. */
function readItems(node: JsonObject, pointer: string, context: Simplifying, simple: SimpleSchema): void {
  const modern = node['prefixItems'] !== undefined && knows(context.draft, 'prefixItems');
  const [firstKeyword, restKeyword] = modern ? ['prefixItems', 'items'] : ['items', 'additionalItems'];
  const first = node[firstKeyword];
  if (first === undefined) return;
  if (isSchema(first)) {
    simple.items = context.simplify(first, `${pointer}/items`);
    return;
  }
  if (!Array.isArray(first)) {
    context.report.add(firstKeyword, pointer, 'it is no schema and no list of schemas');
    return;
  }
  simple.prefixItems = first.map((element, index) =>
    isSchema(element) ? context.simplify(element, `${pointer}/${firstKeyword}/${index}`) : {},
  );
  // A list of `items` is no longer known to 2020-12, nor is its companion.
  const rest = modern || context.draft <= DRAFT.v2019 ? node[restKeyword] : undefined;
  if (rest === false) simple.items = false;
  else if (isSchema(rest)) simple.items = context.simplify(rest, `${pointer}/${restKeyword}`);
}
