import { readdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { FileLocks, entryName } from '@mcp-fittings/toolbox/stores';

export interface ForeignHolder {
  /** Gives a sign of life. */
  beat(at: number): Promise<void>;
  /** Whether it still holds the lock. */
  holds(): Promise<boolean>;
}

/** Gives the lock to a made-up process: of another machine, dead, with a reused id … */
export async function foreignHolder(
  directory: string,
  name: string,
  process: { readonly machine: string; readonly pid: number; readonly start: string },
): Promise<ForeignHolder> {
  await new FileLocks({ directory }).run(name, async () => undefined);
  const folder = join(directory, entryName(name));
  const file = `held.${process.machine}.${process.pid}.${process.start}.abcdef`;
  await rename(join(folder, 'free'), join(folder, file));
  return {
    beat: (at) => utimes(join(folder, file), at, at),
    holds: async () => (await readdir(folder)).includes(file),
  };
}
