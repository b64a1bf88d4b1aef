import type { TokenStore } from '@mcp-fittings/client-core';
import type { Deadline } from '../transport-suite/deadline.js';
import type { CaseGroup } from '../transport-suite/define-cases.js';
import type { TokenStoreCapabilities, TokenStoreFixture } from './store-options.js';

/** Tools of a case. */
export interface StoreBench extends Deadline {
  readonly store: TokenStore;
  readonly fixture: TokenStoreFixture;
  readonly capabilities: Required<{
    readonly [Name in keyof TokenStoreCapabilities]: NonNullable<TokenStoreCapabilities[Name]>;
  }>;
}

export type StoreCaseGroup = CaseGroup<StoreBench, StoreBench['capabilities']>;
