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
import { defineCases, withFixture } from './define-cases.js';
import type { TestRunner, TransportSuiteOptions } from './options.js';
import { createSession, type TransportCaseGroup } from './session.js';

const GROUPS: readonly TransportCaseGroup[] = [
  lifecycleCases,
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

  const define = (groups: readonly TransportCaseGroup[], setup: TransportSuiteOptions['setup']): void =>
    defineCases(runner, `transport contract: ${options.name}`, groups, capabilities, ({ run }) => {
      const controller = new AbortController();
      const given = { server: 'kit', signal: controller.signal };
      const abort = (reason: Error): void => controller.abort(reason);
      return withFixture(setup(given), (fixture) =>
        run(createSession(fixture, capabilities, { ...given, abort, deadlineMs, hangMs })),
      );
    });
  define(GROUPS, options.setup);
  if (options.setupUnreachable !== undefined) define([startFailureCases], options.setupUnreachable);
}
