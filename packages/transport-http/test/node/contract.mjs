import { describe, it } from 'node:test';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { kitOptions } from '../support/kit-options.mjs';

for (const replies of ['json', 'sse']) {
  transportSuite({ describe, it }, kitOptions(createHttpTransport, replies));
}
