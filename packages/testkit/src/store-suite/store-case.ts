import assert from 'node:assert/strict';
import type { ErrorCode, TokenStore } from '@mcp-fittings/client-core';
import type { Deadline } from '../transport-suite/deadline.js';
import type { CaseGroup } from '../transport-suite/define-cases.js';
import { assertRejects } from '../transport-suite/expect.js';
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

/** Asserts that the promise rejects with a `FittingsError` of this code and of kind `auth`, as all errors of a store are. */
export async function assertRefuses(promise: Promise<unknown>, what: string, code: ErrorCode): Promise<void> {
  const { kind } = await assertRejects(promise, what, code);
  assert.equal(kind, 'auth', `${what}: kind of the error`);
}
