import { describe, it } from 'node:test';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { kitOptions } from '../support/kit-options.mjs';

transportSuite({ describe, it }, kitOptions(createSseTransport));
