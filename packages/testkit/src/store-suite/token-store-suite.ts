import { concurrencyCases } from './cases/concurrency.js';
import { keyCases } from './cases/keys.js';
import { lockCases } from './cases/locks.js';
import { processCases } from './cases/processes.js';
import { sharingCases } from './cases/sharing.js';
import { valueCases } from './cases/values.js';
import { createDeadline } from '../transport-suite/deadline.js';
import { defineCases, withFixture } from '../transport-suite/define-cases.js';
import type { TestRunner } from '../transport-suite/options.js';
import type { StoreBench, StoreCaseGroup } from './store-case.js';
import type { TokenStoreSuiteOptions } from './store-options.js';

const GROUPS: readonly StoreCaseGroup[] = [
  valueCases,
  keyCases,
  concurrencyCases,
  lockCases,
  sharingCases,
  processCases,
];

/**
 * Defines the contract tests of a token store with the test runner that is passed in. The declared capabilities decide which
 * cases exist; none is skipped.
 *
 * @example
 * ```ts
 * tokenStoreSuite({ describe, it }, { name: 'redis', capabilities: { shared: true }, setup });
 * ```
 */
export function tokenStoreSuite(runner: TestRunner, options: TokenStoreSuiteOptions): void {
  const {
    shared = false,
    processes = false,
    losesLocks = false,
    maxValueBytes = 0,
  } = options.capabilities ?? {};
  const capabilities: StoreBench['capabilities'] = { shared, processes, losesLocks, maxValueBytes };
  const deadline = createDeadline(options.deadlineMs ?? 10_000);

  defineCases(runner, `token store contract: ${options.name}`, GROUPS, capabilities, ({ run }) =>
    withFixture(options.setup(), (fixture) =>
      run({ ...deadline, store: fixture.store, fixture, capabilities }),
    ),
  );
}
