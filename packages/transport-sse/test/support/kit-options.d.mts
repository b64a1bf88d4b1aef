import type { TransportSuiteOptions } from '@mcp-fittings/testkit/transport';
import type { createSseTransport } from '@mcp-fittings/transport-sse';

export function kitOptions(create: typeof createSseTransport): TransportSuiteOptions;
