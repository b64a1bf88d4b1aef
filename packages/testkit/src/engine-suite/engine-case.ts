import type { ErrorCode, FittingsError, JSONRPCObject } from '@mcp-fittings/client-core';
import type { Deadline } from '../transport-suite/deadline.js';
import { assertRejects } from '../transport-suite/expect.js';
import type { CaseGroup } from '../transport-suite/define-cases.js';
import type {
  EngineConnectInput,
  EngineRequestInput,
  EngineSuiteOptions,
  SessionUnderTest,
} from './engine-under-test.js';
import type { Answer, ScriptedServer } from './scripted-server.js';

/** Tools of a case. */
export interface EngineBench extends Pick<Deadline, 'within'> {
  /** Events that the engine has reported, one line each; errors are not recorded. */
  readonly events: readonly string[];
  /** Creates a server with these answers besides the default ones. */
  server(answers?: Readonly<Record<string, Answer>>): ScriptedServer;
  connect(
    server: ScriptedServer,
    options?: Partial<Pick<EngineConnectInput, 'callbacks' | 'clock' | 'signal' | 'timeoutMs'>>,
  ): Promise<SessionUnderTest>;
}

type EngineCapabilities = Record<keyof NonNullable<EngineSuiteOptions['capabilities']>, boolean>;

export type EngineCaseGroup = CaseGroup<EngineBench, EngineCapabilities>;

/** Name and version of the host that the engines tell the server. */
export const CLIENT = { name: 'engine-suite', version: '4.5.6' };

/** Timeout of requests that are not expected to time out. */
export const PATIENT = { timeoutMs: 5000 };

/** Calls a tool without arguments. */
export function call(
  session: SessionUnderTest,
  name: string,
  options: EngineRequestInput,
): Promise<JSONRPCObject> {
  return session.request('tools/call', { name, arguments: {} }, options);
}

/** Asserts that the promise rejects in time with a `FittingsError` that has a known code. */
export function rejection(
  bench: EngineBench,
  promise: Promise<unknown>,
  what: string,
  code?: ErrorCode,
): Promise<FittingsError> {
  return assertRejects(bench.within(promise, what), what, code);
}
