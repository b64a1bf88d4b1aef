import { describe, it } from 'node:test';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { kitOptions } from '../support/kit-options.mjs';

for (const framing of ['newline', 'content-length']) {
  transportSuite({ describe, it }, kitOptions(createStdioTransport, framing));
}
