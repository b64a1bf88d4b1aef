import { lastEventIdHeader } from '@mcp-fittings/network';
import type { StreamCursor } from './cursor.js';

/** All headers of the GET of an event stream, except session and credentials. */
export function streamHeaders(revision: string | undefined, cursor: StreamCursor): Record<string, string> {
  return {
    accept: 'text/event-stream',
    ...(revision !== undefined && { 'mcp-protocol-version': revision }),
    ...(cursor.lastEventId !== undefined && { 'last-event-id': lastEventIdHeader(cursor.lastEventId) }),
  };
}
