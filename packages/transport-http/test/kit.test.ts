import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createHttpTransport as createByFetch } from '@mcp-fittings/transport-http/fetch';
import { describe, it } from 'vitest';
import { kitOptions } from './support/kit-options.mjs';

for (const replies of ['json', 'sse'] as const) {
  transportSuite({ describe, it }, kitOptions(createHttpTransport, replies));
  describe('by fetch', () => transportSuite({ describe, it }, kitOptions(createByFetch, replies)));
}
