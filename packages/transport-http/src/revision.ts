import { isRecord } from '@mcp-fittings/client-core';
import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** From here on: no session, no GET, no resumption; every request says its own revision. */
const FIRST_STATELESS_REVISION = '2026-07-28';

/** The only revision in which several messages may come as one array. */
const REVISION_WITH_BATCHES = '2025-03-26';

/** The revision that a message says it is written in; undefined where the connection's own holds. */
export function revisionOf(message: JSONRPCMessage): string | undefined {
  const meta = 'params' in message ? message.params?._meta : undefined;
  const version = isRecord(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Revisions are dates, so their order is that of the text. */
export function isStateless(revision: string | undefined): boolean {
  return revision !== undefined && revision >= FIRST_STATELESS_REVISION;
}

export function allowsBatches(revision: string | undefined): boolean {
  return revision === REVISION_WITH_BATCHES;
}
