import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { z } from 'zod';

/**
 * Keeps the pins of servers. `memoryPinStore()` keeps them as long as the process, `fileRecords()` of
 * `@mcp-fittings/store-file` in private files that several processes share. Keep them where the files of a project cannot write.
 */
export interface ToolPinStore {
  /**
   * Returns the record of a key, or undefined. It is called for each snapshot and each call: return the same object as long as
   * the record is the same. Throws a `FittingsError` if it cannot tell; the tools of the server are then not used.
   */
  read(key: string): unknown;
  /**
   * Replaces a record by what `edit` makes of it; undefined keeps it as it is. No other change of the key, also of another process,
   * may come between. Resolves when the record is stored.
   */
  change(
    key: string,
    edit: (before: unknown) => Readonly<Record<string, unknown>> | undefined,
  ): Promise<void>;
  /** Removes a record, also one that cannot be read. */
  remove(key: string): Promise<void>;
}

const shape = z.object({
  version: z.literal(1),
  records: z.array(
    z.object({ key: z.string(), record: z.custom<Readonly<Record<string, unknown>>>(isRecord) }),
  ),
});

/**
 * Creates a store in memory, which can be saved.
 * @param saved A parsed result of `toJSON()`. Default: an empty store.
 * @throws {FittingsError} `CONFIG_INVALID` if `saved` is malformed.
 */
export function memoryPinStore(saved?: unknown): ToolPinStore & {
  /** Returns all records as JSON, for `memoryPinStore` in the next run. Save them where the files of a project cannot write. */
  toJSON(): { version: 1; records: { key: string; record: Readonly<Record<string, unknown>> }[] };
} {
  const initial = saved === undefined ? undefined : shape.safeParse(saved);
  if (initial?.success === false)
    throw new FittingsError('CONFIG_INVALID', 'The saved pins of tools are malformed.', {
      hint: 'Delete them. The tools that servers have then are pinned again, without a comparison.',
    });
  const records = new Map(initial?.data.records.map(({ key, record }) => [key, record]));
  return {
    read: (key) => records.get(key),
    // oxlint-disable-next-line typescript/require-await -- what `edit` throws rejects
    async change(key, edit) {
      const after = edit(records.get(key));
      if (after !== undefined) records.set(key, after);
    },
    // oxlint-disable-next-line typescript/require-await -- the contract is asynchronous
    async remove(key) {
      records.delete(key);
    },
    toJSON: () => ({ version: 1, records: Array.from(records, ([key, record]) => ({ key, record })) }),
  };
}
