import type { SchemaDifferences } from '../schema/schema-differences.js';
import type { JsonObject } from '../json/copy-json.js';
import { JSON_TYPES, type JsonType } from './simple-schema.js';

/** What `type` says. */
export interface DeclaredType {
  readonly types: ReadonlySet<JsonType>;
  /** Numbers have to be whole. */
  readonly integer: boolean;
  /** There is such a keyword, and it makes sense. */
  readonly explicit: boolean;
}

export const ALL_TYPES: ReadonlySet<JsonType> = new Set(JSON_TYPES);
const ANY: DeclaredType = { types: ALL_TYPES, integer: false, explicit: false };

export function declaredType({ type }: JsonObject, pointer: string, report: SchemaDifferences): DeclaredType {
  if (type === undefined) return ANY;
  const names = new Set(Array.isArray(type) ? type : [type]);
  const types = JSON_TYPES.filter((known) => names.has(known));
  const integer = names.has('integer');
  if (types.length + Number(integer) < names.size) {
    report.add('type', pointer, 'it names no type of JSON Schema');
    return ANY;
  }
  const onlyWhole = integer && !types.includes('number');
  return { types: new Set(onlyWhole ? [...types, 'number'] : types), integer: onlyWhole, explicit: true };
}
