import type { StandardSchemaV1 } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** Parameters of a request. */
export type Params = Readonly<Record<string, unknown>>;

/** Parameters that have these members as text. */
export type ParamsWith<Name extends string> = Params & Readonly<Record<Name, string>>;

/**
 * Returns a schema that requires text members and keeps everything else as the client sent it. A request without them is answered with
 * -32602.
 */
export function paramsWith<Name extends string>(
  ...names: readonly Name[]
): StandardSchemaV1<unknown, ParamsWith<Name>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp-fittings',
      validate(value: unknown) {
        if (!isRecord(value)) return { issues: [{ message: 'must be an object' }] };
        const missing = names.find((name) => typeof value[name] !== 'string');
        if (missing !== undefined) return { issues: [{ message: `"${missing}" must be a string` }] };
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members were checked
        return { value: value as ParamsWith<Name> };
      },
    },
  };
}

/** Returns a member that has to be an object; an empty one if it is missing. */
export function recordIn(params: Params, name: string): Params {
  const value = params[name];
  return isRecord(value) ? value : {};
}

/** Returns the text members of an object. */
export function textsIn(params: Params): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
