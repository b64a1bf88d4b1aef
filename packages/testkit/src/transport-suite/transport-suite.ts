import { deathCases } from './cases/death.js';
import { deliveryCases } from './cases/delivery.js';
import { eraCases } from './cases/eras.js';
import { hostileCases } from './cases/hostile.js';
import { lifecycleCases } from './cases/lifecycle.js';
import { requestCases } from './cases/requests.js';
import { resourceCases } from './cases/resources.js';
import { sharedOptionCases } from './cases/shared-options.js';
import { sizeCases } from './cases/size.js';
import { startFailureCases } from './cases/start-failure.js';
import { withDefaults } from './capabilities.js';
import type { CaseGroup } from './case.js';
import type { TestRunner, TransportSuiteOptions } from './options.js';
import { createSession } from './session.js';

const GROUPS: readonly CaseGroup[] = [
  lifecycleCases,
  startFailureCases,
  deliveryCases,
  requestCases,
  deathCases,
  sharedOptionCases,
  hostileCases,
  sizeCases,
  eraCases,
  resourceCases,
];

/**
 * Defines the contract tests of a transport with the test runner that is passed in. The declared capabilities decide which
 * cases exist; none is skipped.
 *
 * @example
 * ```ts
 * transportSuite({ describe, it }, { name: 'stdio', capabilities: { backPressure: true }, setup });
 * ```
 */
export function transportSuite(runner: TestRunner, options: TransportSuiteOptions): void {
  const capabilities = withDefaults(options.capabilities);
  const { deadlineMs = 10_000, hangMs = 30_000 } = options;

  runner.describe(`transport contract: ${options.name}`, () => {
    for (const group of GROUPS) {
      const cases = group.cases.flatMap((entry) => {
        const setup = entry.unreachable === true ? options.setupUnreachable : options.setup;
        if (setup === undefined || entry.when?.(capabilities) === false) return [];
        return [{ ...entry, setup }];
      });
      // Test runners report an empty group as a mistake.
      if (cases.length === 0) continue;
      runner.describe(group.name, () => {
        for (const { name, run, setup } of cases) {
          runner.it(name, async () => {
            const controller = new AbortController();
            const given = { server: 'kit', signal: controller.signal };
            const fixture = await setup(given);
            const abort = (reason: Error): void => controller.abort(reason);
            try {
              await run(createSession(fixture, capabilities, { ...given, abort, deadlineMs, hangMs }));
            } finally {
              await fixture.teardown();
            }
          });
        }
      });
    }
  });
}
