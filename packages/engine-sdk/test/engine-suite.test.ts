import { describe, it } from 'vitest';
import { sdkV1 } from '@mcp-fittings/engine-sdk/v1';
import { sdkV2 } from '@mcp-fittings/engine-sdk/v2';
import { engineSuite } from '@mcp-fittings/testkit/engine';

engineSuite({ describe, it }, { name: 'SDK v1', engine: sdkV1 });
engineSuite({ describe, it }, { name: 'SDK v2', engine: sdkV2 });
