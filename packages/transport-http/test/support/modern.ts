import type { JSONRPCObject } from '@mcp-fittings/client-core';

export const MODERN = '2026-07-28';

/** Parameters as an engine of the revision 2026-07-28 writes them. */
export function modernParams(params: JSONRPCObject = {}): JSONRPCObject {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}
