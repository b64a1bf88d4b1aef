import type { Json } from '../json/copy-json.js';

/** The drafts of JSON Schema as ascending numbers, so that they can be compared. */
export const DRAFT = { v4: 4, v6: 6, v7: 7, v2019: 2019, v2020: 2020 } as const;
export type Draft = (typeof DRAFT)[keyof typeof DRAFT];

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-04/schema', DRAFT.v4],
  ['json-schema.org/draft-06/schema', DRAFT.v6],
  ['json-schema.org/draft-07/schema', DRAFT.v7],
  ['json-schema.org/draft/2019-09/schema', DRAFT.v2019],
  ['json-schema.org/draft/2020-12/schema', DRAFT.v2020],
  ['json-schema.org/schema', DRAFT.v2020],
]);

/** Returns the draft that `$schema` names, 2020-12 if it is absent, or undefined if the dialect is not supported. */
export function draftOf($schema: Json | undefined): Draft | undefined {
  if ($schema === undefined) return DRAFT.v2020;
  if (typeof $schema !== 'string') return undefined;
  return DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

/** The draft that introduced a keyword. Earlier drafts ignore it. */
const SINCE: Readonly<Record<string, Draft>> = {
  const: DRAFT.v6,
  contains: DRAFT.v6,
  propertyNames: DRAFT.v6,
  if: DRAFT.v7,
  minContains: DRAFT.v2019,
  maxContains: DRAFT.v2019,
  dependentRequired: DRAFT.v2019,
  dependentSchemas: DRAFT.v2019,
  unevaluatedItems: DRAFT.v2019,
  unevaluatedProperties: DRAFT.v2019,
  prefixItems: DRAFT.v2020,
  $dynamicRef: DRAFT.v2020,
};

/** Returns whether a draft defines a keyword. */
export function knows(draft: Draft, keyword: string): boolean {
  return draft >= (SINCE[keyword] ?? DRAFT.v4);
}
