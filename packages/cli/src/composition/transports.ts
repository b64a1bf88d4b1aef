import type { TransportPlugin } from '@mcp-fittings/client-core';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';

/** A person waits for the prompt: a server that does not follow the end of its stdin gets SIGTERM sooner than in a host. */
const AFTER_STDIN_END_MS = 500;

/** Every transport that a configuration file can name. */
export function createTransports(): readonly TransportPlugin[] {
  const older = sse();
  return [
    stdio({ shutdown: { afterStdinEndMs: AFTER_STDIN_END_MS } }),
    http({ fallback: older }),
    older,
    ws(),
  ];
}
