import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ListKind } from '../contracts/catalog.js';

/** The entry without its malformed optional members, or the member that makes it unusable. */
export type ListEntryResult =
  | { readonly entry: JSONRPCObject; readonly ignored: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string; readonly ignored?: undefined; readonly entry?: undefined };

/** The lists of a server. */
export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number';

interface Shape {
  /** Members without which the entry is unusable. */
  readonly required: Readonly<Record<string, Check>>;
  /** Members that are dropped if they are malformed; the entry is kept. */
  readonly optional: Readonly<Record<string, Check>>;
  /** Members that are lists: malformed elements are dropped, and the others kept. */
  readonly lists: Readonly<Record<string, Check>>;
}

const COMMON = { title: isString, description: isString, _meta: isRecord };
const isIcon: Check = (value) => isRecord(value) && isName(value['src']);
const isArgument: Check = (value) => isRecord(value) && isName(value['name']);

const SHAPES: Readonly<Record<ListKind, Shape>> = {
  tools: {
    required: { name: isName, inputSchema: isRecord },
    optional: { ...COMMON, outputSchema: isRecord, annotations: isRecord, execution: isRecord },
    lists: { icons: isIcon },
  },
  prompts: {
    required: { name: isName },
    optional: COMMON,
    lists: { icons: isIcon, arguments: isArgument },
  },
  resources: {
    required: { uri: isName, name: isName },
    optional: { ...COMMON, mimeType: isString, size: isNumber, annotations: isRecord },
    lists: { icons: isIcon },
  },
  resourceTemplates: {
    required: { uriTemplate: isName, name: isName },
    optional: { ...COMMON, mimeType: isString, annotations: isRecord },
    lists: { icons: isIcon },
  },
};

/** Members of a tool's `annotations`, and those of an argument of a prompt. */
const HINTS: Readonly<Record<string, Check>> = {
  title: isString,
  readOnlyHint: isBoolean,
  destructiveHint: isBoolean,
  idempotentHint: isBoolean,
  openWorldHint: isBoolean,
};
const ARGUMENT: Readonly<Record<string, Check>> = {
  title: isString,
  description: isString,
  required: isBoolean,
};

/**
 * Validates one entry of a list. A `null` counts as absent, because several frameworks write it for members that are not set.
 */
export function validateListEntry(kind: ListKind, value: unknown): ListEntryResult {
  if (!isRecord(value)) return { problem: 'object' };
  const { required, optional, lists } = SHAPES[kind];
  const missing = Object.entries(required).find(([name, isValid]) => !isValid(value[name]))?.[0];
  if (missing !== undefined) return { problem: missing };

  const ignored: string[] = [];
  const entry = keepValid(value, optional, ignored);
  for (const [name, isValid] of Object.entries(lists)) {
    const list: unknown = entry[name];
    if (list === undefined) continue;
    if (Array.isArray(list)) {
      const good = list.filter(isValid);
      if (good.length === list.length) continue;
      entry[name] = good;
    } else delete entry[name];
    if (list !== null) ignored.push(name);
  }
  if (kind === 'tools') {
    const { inputSchema, annotations } = entry;
    if (isRecord(annotations)) entry['annotations'] = keepValid(annotations, HINTS, ignored);
    const schema = isRecord(inputSchema) ? inputSchema : {};
    const { type } = schema;
    if (type === undefined || type === null) entry['inputSchema'] = { ...schema, type: 'object' };
    else if (type !== 'object' && !(Array.isArray(type) && type.includes('object')))
      return { problem: 'inputSchema' };
  }
  if (kind === 'prompts' && Array.isArray(entry['arguments'])) {
    entry['arguments'] = entry['arguments'].map((argument: JSONRPCObject) =>
      keepValid(argument, ARGUMENT, ignored),
    );
  }
  return { entry, ignored };
}

/** Returns a copy without the malformed ones of these members, and adds their names to `ignored`. */
function keepValid(
  value: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  ignored: string[],
): Record<string, unknown> {
  const copy = { ...value };
  for (const [name, isValid] of Object.entries(checks)) {
    if (copy[name] === undefined || isValid(copy[name])) continue;
    if (copy[name] !== null) ignored.push(name);
    delete copy[name];
  }
  return copy;
}
