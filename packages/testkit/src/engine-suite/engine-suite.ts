import { AssertionError } from 'node:assert/strict';
import { systemClock, withTimeout } from '@mcp-fittings/toolbox/timing';
import type { TestRunner } from '../transport.js';
import { connectCases } from './connect-cases.js';
import { endCases } from './end-cases.js';
import { CLIENT, type EngineBench, type EngineCase } from './engine-case.js';
import type { EngineConnectInput, EngineSuiteOptions } from './engine-under-test.js';
import { requestCases } from './request-cases.js';
import { ScriptedServer, type Answer } from './scripted-server.js';
import { serverMessageCases } from './server-message-cases.js';

const GROUPS: readonly (readonly [name: string, cases: readonly EngineCase[]])[] = [
  ['connecting', connectCases],
  ['requests', requestCases],
  ['messages of the server', serverMessageCases],
  ['the end of a connection', endCases],
];

/**
 * Defines the contract tests of a protocol engine with the runner that is passed in: about 20 cases against a scripted server
 * of revision 2025-11-25, without a network or an SDK. The declared capabilities decide which cases exist; none is skipped.
 * @example
 * import { describe, it } from 'node:test';
 *
 * engineSuite({ describe, it }, { name: 'my engine', engine: () => myEngine() });
 */
export function engineSuite(runner: TestRunner, options: EngineSuiteOptions): void {
  const { serverRequests = true, progress = true } = options.capabilities ?? {};
  const capabilities = { serverRequests, progress };
  runner.describe(`engine contract: ${options.name}`, () => {
    for (const [name, all] of GROUPS) {
      runner.describe(name, () => {
        for (const each of all.filter(({ needs }) => needs === undefined || capabilities[needs])) {
          runner.it(each.name, async () => each.run(createBench(options)));
        }
      });
    }
  });
}

function createBench({ engine, deadlineMs = 10_000 }: EngineSuiteOptions): EngineBench {
  const events: string[] = [];
  const sink: EngineConnectInput['events'] = {
    log: ({ level, data }) => events.push(`log ${level} ${JSON.stringify(data)}`),
    listChanged: (kind) => events.push(`listChanged ${kind}`),
    resourceUpdated: (uri) => events.push(`resourceUpdated ${uri}`),
    notification: (method) => events.push(`notification ${method}`),
    error: () => undefined,
    closed: () => events.push('closed'),
  };
  const within = <T>(promise: Promise<T>, what: string): Promise<T> =>
    withTimeout(
      {
        ms: deadlineMs,
        error: () => new AssertionError({ message: `${what} did not settle within ${deadlineMs} ms` }),
      },
      () => promise,
    );
  return {
    events,
    within,
    server: (answers: Readonly<Record<string, Answer>> = {}) => new ScriptedServer(answers),
    connect(server, options = {}) {
      const { callbacks = {}, clock = systemClock, timeoutMs = 5000 } = options;
      const { signal = new AbortController().signal } = options;
      return within(
        engine().connect(server, {
          server: 'scripted',
          client: CLIENT,
          signal,
          timeoutMs,
          callbacks,
          events: sink,
          clock,
        }),
        'connect()',
      );
    },
  };
}
