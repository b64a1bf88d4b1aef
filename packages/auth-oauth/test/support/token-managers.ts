import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { nodePlatform } from '../../src/node-platform.js';
import { type Renewal, TokenManager } from '../../src/tokens/token-manager.js';
import type { TokenRecord } from '../../src/tokens/token-record.js';

/** The record of a sign-in with a refresh token, without an end. */
export const OLD: TokenRecord = {
  issuer: 'https://as.example',
  tokenEndpoint: 'https://as.example/token',
  resource: 'https://mcp.example/',
  clientId: 'c',
  accessToken: 'old',
  tokenType: 'Bearer',
  refreshToken: 'r',
  scopes: [],
  requested: [],
  obtainedAt: 0,
};
export const NEW: TokenRecord = { ...OLD, accessToken: 'new' };

/** A manager that renews with `run`, by default to `NEW`. */
export function managerOn(
  store: TokenStore,
  { run = async () => NEW, clock = createManualClock() }: Partial<Renewal & { readonly clock: Clock }> = {},
): TokenManager {
  return new TokenManager({
    server: 'test',
    store,
    key: 'k',
    clock,
    logger: undefined,
    marks: nodePlatform.marks,
    renewal: { possible: (held) => held?.refreshToken !== undefined, run, onRefusal: 'ask' },
  });
}
