import type { TokenStore } from '@mcp-fittings/client-core';
import type { Deadline } from '../transport-suite/deadline.js';
import type { TokenStoreCapabilities, TokenStoreFixture } from './store-options.js';

/** What a case works with. */
export interface StoreBench extends Deadline {
  readonly store: TokenStore;
  readonly fixture: TokenStoreFixture;
  readonly capabilities: Required<{
    readonly [Name in keyof TokenStoreCapabilities]: NonNullable<TokenStoreCapabilities[Name]>;
  }>;
}

/** One rule of the contract, and the test that shows it. */
export interface StoreCase {
  readonly name: string;
  /** For which stores the case exists. Default all. */
  readonly when?: (capabilities: StoreBench['capabilities']) => boolean;
  readonly run: (bench: StoreBench) => Promise<void>;
}

export interface StoreCaseGroup {
  readonly name: string;
  readonly cases: readonly StoreCase[];
}
