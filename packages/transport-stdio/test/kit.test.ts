import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { describe, it } from 'vitest';
import { kitOptions } from './support/kit-options.mjs';

const runner = { describe, it };
transportSuite(runner, kitOptions(createStdioTransport, 'newline'));
transportSuite(runner, kitOptions(createStdioTransport, 'content-length'));
