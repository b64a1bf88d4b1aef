import { signInCases } from './cases/sign-in.js';
import { recoveryCases } from './cases/recovery.js';
import { signingCases } from './cases/signing.js';
import { createDeadline } from '../transport-suite/deadline.js';
import { defineCases, withFixture } from '../transport-suite/define-cases.js';
import type { TestRunner } from '../transport-suite/options.js';
import type { AuthBench, AuthCaseGroup } from './auth-case.js';
import type { AuthProviderSuiteOptions } from './auth-options.js';

const GROUPS: readonly AuthCaseGroup[] = [signingCases, recoveryCases, signInCases];

/**
 * Defines the contract tests of an auth provider with the test runner that is passed in. The declared capabilities decide which
 * cases exist; none is skipped.
 *
 * @example
 * ```ts
 * authProviderSuite({ describe, it }, { name: 'kerberos', capabilities: { renews: true }, setup });
 * ```
 */
export function authProviderSuite(runner: TestRunner, options: AuthProviderSuiteOptions): void {
  const { signsIn = false, renews = false, signsOut = false } = options.capabilities ?? {};
  const capabilities: AuthBench['capabilities'] = { signsIn, renews, signsOut };
  const deadline = createDeadline(options.deadlineMs ?? 10_000);

  defineCases(runner, `auth provider contract: ${options.name}`, GROUPS, capabilities, ({ run }) =>
    withFixture(options.setup(), (fixture) => run({ ...deadline, ...fixture, capabilities })),
  );
}
