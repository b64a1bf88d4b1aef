import { isRecord } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ListKind } from '../../contracts/catalog.js';

/** Either the entry, cleaned of what is malformed and not needed; or what is wrong with it. */
export type Judged =
  | { readonly entry: JSONRPCObject; readonly ignored: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string };

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number';

interface Shape {
  /** Members without which an entry is useless. */
  readonly required: Readonly<Record<string, Check>>;
  /** Members that are dropped when they are not what they have to be; the entry stays. */
  readonly optional: Readonly<Record<string, Check>>;
  /** Members that are lists: an element that fails is dropped, the others stay. */
  readonly lists: Readonly<Record<string, Check>>;
}

const COMMON = { title: isText, description: isText, _meta: isRecord };
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
    optional: { ...COMMON, mimeType: isText, size: isNumber, annotations: isRecord },
    lists: { icons: isIcon },
  },
  resourceTemplates: {
    required: { uriTemplate: isName, name: isName },
    optional: { ...COMMON, mimeType: isText, annotations: isRecord },
    lists: { icons: isIcon },
  },
};

/** Members of a tool's `annotations`, and those of an argument of a prompt. */
const HINTS: Readonly<Record<string, Check>> = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
};
const ARGUMENT: Readonly<Record<string, Check>> = { title: isText, description: isText, required: isFlag };

/**
 * Judges one entry of a list by itself. A `null` counts as absent: several frameworks write it for what is not set.
 */
export function judgeEntry(kind: ListKind, value: unknown): Judged {
  if (!isRecord(value)) return { problem: 'object' };
  const { required, optional, lists } = SHAPES[kind];
  const missing = Object.entries(required).find(([name, isRight]) => !isRight(value[name]))?.[0];
  if (missing !== undefined) return { problem: missing };

  const ignored: string[] = [];
  const entry = keepRight(value, optional, ignored);
  for (const [name, isRight] of Object.entries(lists)) {
    const list: unknown = entry[name];
    if (list === undefined) continue;
    if (Array.isArray(list)) {
      const good = list.filter(isRight);
      if (good.length === list.length) continue;
      entry[name] = good;
    } else delete entry[name];
    if (list !== null) ignored.push(name);
  }
  if (kind === 'tools') {
    const { inputSchema, annotations } = entry;
    if (isRecord(annotations)) entry['annotations'] = keepRight(annotations, HINTS, ignored);
    const schema = isRecord(inputSchema) ? inputSchema : {};
    const { type } = schema;
    if (type === undefined || type === null) entry['inputSchema'] = { ...schema, type: 'object' };
    else if (type !== 'object' && !(Array.isArray(type) && type.includes('object')))
      return { problem: 'inputSchema' };
  }
  if (kind === 'prompts' && Array.isArray(entry['arguments'])) {
    entry['arguments'] = entry['arguments'].map((argument: JSONRPCObject) =>
      keepRight(argument, ARGUMENT, ignored),
    );
  }
  return { entry, ignored };
}

/** A copy without those of these members that are not what they have to be; the names of the dropped go to `ignored`. */
function keepRight(
  value: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  ignored: string[],
): Record<string, unknown> {
  const copy = { ...value };
  for (const [name, isRight] of Object.entries(checks)) {
    if (copy[name] === undefined || isRight(copy[name])) continue;
    if (copy[name] !== null) ignored.push(name);
    delete copy[name];
  }
  return copy;
}
