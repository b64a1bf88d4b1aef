import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { TestRunner } from '../transport.js';
import { createDeadline } from '../transport-suite/deadline.js';
import { defineCases } from '../transport-suite/define-cases.js';
import { connectCases } from './connect-cases.js';
import { endCases } from './end-cases.js';
import { CLIENT, type EngineBench, type EngineCaseGroup } from './engine-case.js';
import type { EngineConnectInput, EngineSuiteOptions } from './engine-under-test.js';
import { requestCases } from './request-cases.js';
import { ScriptedServer, type Answer } from './scripted-server.js';
import { serverMessageCases } from './server-message-cases.js';

const GROUPS: readonly EngineCaseGroup[] = [connectCases, requestCases, serverMessageCases, endCases];

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
  defineCases(runner, `engine contract: ${options.name}`, GROUPS, capabilities, ({ run }) =>
    run(createBench(options)),
  );
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
  const deadline = createDeadline(deadlineMs);
  return {
    ...deadline,
    events,
    server: (answers: Readonly<Record<string, Answer>> = {}) => new ScriptedServer(answers),
    connect(server, options = {}) {
      const { callbacks = {}, clock = systemClock, timeoutMs = 5000 } = options;
      const { signal = new AbortController().signal } = options;
      return deadline.within(
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
