import type { AuthProvider } from '@mcp-fittings/client-core';
import type { TokenProviderOptions } from '../provider/context.js';
import { createGrantProvider, type Grant } from './grant-provider.js';

/** A provider without a person. */
export function createMachineProvider(options: TokenProviderOptions, grant: Grant): AuthProvider {
  const { silent, forget } = createGrantProvider(options, grant);
  return { ...silent, signOut: forget };
}
