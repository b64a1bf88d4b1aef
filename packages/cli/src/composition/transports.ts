import type { TransportPlugin } from '@mcp-fittings/client-core';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';

/** Every transport that a configuration file can name. */
export function createTransports(): readonly TransportPlugin[] {
  const older = sse();
  return [stdio(), http({ fallback: older }), older, ws()];
}
