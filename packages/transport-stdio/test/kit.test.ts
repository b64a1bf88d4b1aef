import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { describe, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import { KIT_SERVER, kitOptions } from './support/kit-options.mjs';

const runner = { describe, it };
const server = await bundled(KIT_SERVER);
transportSuite(runner, kitOptions(createStdioTransport, 'newline', server));
transportSuite(runner, kitOptions(createStdioTransport, 'content-length', server));
