import { z } from 'zod';

/**
 * Zod visits each pair of object and recursive schema once. It looks for the recursion in the definition of a kind that it does not
 * know, and not in one of the kind `custom`.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type lists the kinds of Zod alone
const KIND = 'all' as string as 'custom';

interface AllDef extends z.core.$ZodTypeDef {
  readonly type: 'custom';
  readonly parts: readonly z.ZodType[];
}
interface All extends z.ZodType {
  readonly _zod: z.core.$ZodTypeInternals & { readonly def: AllDef };
}

/** Returns whether an issue says that the value itself has another type. */
const isWrongType = ({ code, path }: z.core.$ZodRawIssue): boolean =>
  code === 'invalid_type' && (path ?? []).length === 0;

const All = z.core.$constructor<All>('McpFittingsAll', (inst, def) => {
  z.ZodType.init(inst, def);
  inst._zod.parse = (payload, context) => {
    for (const part of def.parts) {
      const result = part._zod.run({ value: payload.value, issues: [] }, context);
      if (result instanceof Promise) throw new z.core.$ZodAsyncError();
      for (const issue of result.issues) payload.issues.push(issue);
      // The other parts would say the same.
      if (result.issues.some(isWrongType)) break;
    }
    return payload;
  };
  inst._zod.processJSONSchema = (context, json, params) => {
    json.allOf = def.parts.map((part, index) =>
      z.core.processSchema(part, context, { ...params, path: [...params.path, 'allOf', index] }),
    );
  };
});

/**
 * Creates a schema that accepts what all parts accept. Each part sees the value as it is. `z.intersection` merges what its parts
 * return, which takes the square of the number of members, and accepts a member that only one of two closed objects knows.
 */
export function acceptAll(parts: readonly z.ZodType[]): z.ZodType {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : new All({ type: KIND, parts });
}
