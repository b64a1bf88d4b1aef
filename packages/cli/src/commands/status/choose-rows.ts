import type { LoadedConfig } from '@mcp-fittings/config';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { serverRows, type ServerRow } from './server-row.js';

/** Rows of the named servers, or of all. */
export function chosenRows(
  loaded: LoadedConfig,
  snapshots: readonly ServerSnapshot[],
  wanted: readonly string[] | undefined,
  loginCommand: (server: string) => string,
): readonly ServerRow[] {
  const rows = serverRows(loaded, snapshots, loginCommand);
  return wanted === undefined ? rows : rows.filter(({ name }) => wanted.includes(name));
}
