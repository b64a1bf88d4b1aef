import { describe, it } from 'node:test';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { contracts } from '../support/contracts.mjs';

for (const contract of contracts) transportSuite({ describe, it }, contract);
