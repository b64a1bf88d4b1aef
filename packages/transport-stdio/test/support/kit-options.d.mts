import type { TransportSuiteOptions } from '@mcp-fittings/testkit/transport';
import type { createStdioTransport } from '@mcp-fittings/transport-stdio';

/** The path of kit-server.mjs. */
export const KIT_SERVER: string;

export function kitOptions(
  create: typeof createStdioTransport,
  framing: 'newline' | 'content-length',
  server?: string,
): TransportSuiteOptions;
