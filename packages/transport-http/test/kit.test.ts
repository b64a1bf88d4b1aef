import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { describe, it } from 'vitest';
import { kitOptions } from './support/kit-options.mjs';

const runner = { describe, it };
transportSuite(runner, kitOptions(createHttpTransport, 'json'));
transportSuite(runner, kitOptions(createHttpTransport, 'sse'));
