import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isReservedMetaKey } from '@mcp-fittings/host';

/** Returns what a client puts into `_meta` of its request for the server, without the keys of the protocol; `undefined` if nothing. */
export function metaForServer(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(meta)) return undefined;
  const own = Object.entries(meta).filter(([key]) => !isReservedMetaKey(key));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
