import { transportSuite } from '@mcp-fittings/testkit/transport';
import { describe, it } from 'vitest';
import { contracts } from './support/contracts.mjs';

for (const contract of contracts) transportSuite({ describe, it }, contract);
