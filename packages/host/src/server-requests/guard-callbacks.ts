import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import { Semaphore } from '../limiters.js';
import type { EngineRequestInfo, EngineCallbacks } from '../contracts/engine.js';
import type {
  ServerRequestInfo,
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  Root,
} from '../contracts/server-requests.js';
import { answerProblems, withDefaults } from './form-answer.js';
import { inspectElicitation } from './inspect-elicitation.js';

/** Options of {@link guardCallbacks}. */
export interface GuardOptions {
  readonly clock: Clock;
  /** Longest time of a callback, in milliseconds. */
  readonly callbackMs: number;
  /** Returns the requests of the host that wait for a response. Default: none. */
  readonly calls?: (() => readonly CallInFlight[]) | undefined;
  /** The principal whom the calls on this connection name. Default: none. */
  readonly principal?: string | undefined;
}

/**
 * Wraps the callbacks of the host for requests of servers: each has a deadline, a failure affects only the one request, and the
 * answer to a form is completed with the schema's defaults and validated before it is sent.
 */
export function guardCallbacks(callbacks: HostCallbacks, options: GuardOptions): EngineCallbacks {
  const { elicit, elicitationModes, sample, roots } = callbacks;
  const bounded = bounder(options);
  return {
    ...(elicitationModes !== undefined && { elicitationModes }),
    ...(elicit !== undefined && {
      elicit: (request, info) =>
        bounded('elicitation', info, (inner) => answer(callbacks, inspectElicitation(request), inner)),
    }),
    ...(sample !== undefined && {
      sample: (params, info) => bounded('sampling', info, (inner) => sample(params, inner)),
    }),
    ...(roots !== undefined && {
      roots: (info) => bounded('roots', info, async (inner) => checkRoots(await roots(inner))),
    }),
  };
}

function checkRoots(given: readonly Root[]): readonly Root[] {
  const wrong = given.find(({ uri }) => !uri.startsWith('file://'));
  if (wrong === undefined) return given;
  throw new FittingsError(
    'CALLBACK_FAILED',
    `The roots callback returned "${wrong.uri}"; the URI of a root must begin with file://.`,
  );
}

async function answer(
  { elicit }: HostCallbacks,
  request: ElicitationRequest,
  info: ServerRequestInfo,
): Promise<ElicitationAnswer> {
  const given = (await elicit?.(request, info)) ?? { action: 'cancel' };
  if (given.action !== 'accept' || request.mode !== 'form') return given;
  const content = withDefaults(request.schema, given.content ?? {});
  const problems = answerProblems(request.schema, content);
  if (problems.length === 0) return { action: 'accept', content };
  const text = `The answer does not fit the form of the server "${info.server}": ${problems.join('; ')}.`;
  throw new FittingsError('CALLBACK_FAILED', text, { server: info.server });
}

/** Most callbacks that run for one server at the same time. Further requests wait in order. */
const MAX_RUNNING = 16;
/** Most requests of one server that wait for a callback. More are refused. */
const MAX_WAITING = 64;

type Bounded = <T>(
  what: string,
  info: EngineRequestInfo,
  work: (info: ServerRequestInfo) => Promise<T>,
) => Promise<T>;

function bounder(options: GuardOptions): Bounded {
  const slots = new Semaphore(MAX_RUNNING);
  let asked = 0;
  return async (what, info, work) => {
    if (asked >= MAX_RUNNING + MAX_WAITING) {
      const text = `The server "${info.server}" sent more than ${MAX_RUNNING + MAX_WAITING} requests at once.`;
      throw new FittingsError('PROTOCOL_VIOLATION', text, { server: info.server });
    }
    asked++;
    try {
      return await runCallback(what, info, options, async (inner) => {
        const release = await slots.acquire(inner.signal);
        try {
          return await work({
            ...inner,
            calls: options.calls?.() ?? [],
            call: info.call,
            principal: options.principal,
          });
        } finally {
          release();
        }
      });
    } finally {
      asked--;
    }
  };
}

async function runCallback<T>(
  what: string,
  info: EngineRequestInfo,
  { clock, callbackMs }: GuardOptions,
  work: (info: EngineRequestInfo) => Promise<T>,
): Promise<T> {
  const { server, signal: withdrawn } = info;
  const late = (): FittingsError =>
    new FittingsError(
      'CALLBACK_FAILED',
      `The ${what} callback for the server "${server}" did not finish within ${callbackMs} ms.`,
      {
        server,
      },
    );
  try {
    return await withTimeout({ ms: callbackMs, error: late, signal: withdrawn, clock }, (signal) =>
      work({ server, signal }),
    );
  } catch (cause) {
    if (withdrawn.aborted) {
      throw new FittingsError('ABORTED', `The server "${server}" canceled its request.`, {
        server,
        cause: withdrawn.reason,
      });
    }
    if (cause instanceof FittingsError) throw cause;
    throw new FittingsError('CALLBACK_FAILED', `The ${what} callback for the server "${server}" failed.`, {
      server,
      cause,
    });
  }
}
