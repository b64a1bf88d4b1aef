import type { TransportSuiteOptions } from '@mcp-fittings/testkit/transport';
import type { createHttpTransport } from '@mcp-fittings/transport-http';

export function kitOptions(
  create: typeof createHttpTransport,
  replies: 'json' | 'sse',
): TransportSuiteOptions;
