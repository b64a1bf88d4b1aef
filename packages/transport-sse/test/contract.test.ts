import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { describe, it } from 'vitest';
import { kitOptions } from './support/kit-options.mjs';

transportSuite({ describe, it }, kitOptions(createSseTransport));
