import type { TransportSuiteOptions } from '@mcp-fittings/testkit/transport';
import type { createStdioTransport, FramingName } from '@mcp-fittings/transport-stdio';

export function kitOptions(create: typeof createStdioTransport, framing: FramingName): TransportSuiteOptions;
