import type { Deadline } from '../transport-suite/deadline.js';
import type { AuthProviderFixture, AuthProviderSuiteOptions } from './auth-options.js';

type AuthProviderCapabilities = NonNullable<AuthProviderSuiteOptions['capabilities']>;

/** What a case works with. */
export interface AuthBench extends Deadline, AuthProviderFixture {
  readonly capabilities: Required<{
    readonly [Name in keyof AuthProviderCapabilities]: NonNullable<AuthProviderCapabilities[Name]>;
  }>;
}

/** One rule of the contract, and the test that shows it. */
export interface AuthCase {
  readonly name: string;
  /** For which providers the case exists. Default all. */
  readonly when?: (capabilities: AuthBench['capabilities']) => boolean;
  readonly run: (bench: AuthBench) => Promise<void>;
}

export interface AuthCaseGroup {
  readonly name: string;
  readonly cases: readonly AuthCase[];
}
