import type { Deadline } from '../transport-suite/deadline.js';
import type { CaseGroup } from '../transport-suite/define-cases.js';
import type { AuthProviderFixture, AuthProviderSuiteOptions } from './auth-options.js';

type AuthProviderCapabilities = NonNullable<AuthProviderSuiteOptions['capabilities']>;

/** Tools of a case. */
export interface AuthBench extends Deadline, AuthProviderFixture {
  readonly capabilities: Required<{
    readonly [Name in keyof AuthProviderCapabilities]: NonNullable<AuthProviderCapabilities[Name]>;
  }>;
}

export type AuthCaseGroup = CaseGroup<AuthBench, AuthBench['capabilities']>;
