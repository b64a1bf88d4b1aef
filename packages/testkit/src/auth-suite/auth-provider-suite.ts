import { signInCases } from './cases/sign-in.js';
import { recoveryCases } from './cases/recovery.js';
import { signingCases } from './cases/signing.js';
import { createDeadline } from '../transport-suite/deadline.js';
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

  runner.describe(`auth provider contract: ${options.name}`, () => {
    for (const group of GROUPS) {
      const cases = group.cases.filter(({ when }) => when?.(capabilities) !== false);
      // Test runners report an empty group as a mistake.
      if (cases.length === 0) continue;
      runner.describe(group.name, () => {
        for (const { name, run } of cases) {
          runner.it(name, async () => {
            const fixture = await options.setup();
            try {
              await run({ ...deadline, ...fixture, capabilities });
            } finally {
              await fixture.teardown();
            }
          });
        }
      });
    }
  });
}
