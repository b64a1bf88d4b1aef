import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import { createSemaphore } from '../connection/semaphore.js';
import type { EngineRequestInfo, EngineCallbacks } from '../contracts/engine.js';
import type {
  ServerRequestInfo,
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  Root,
} from '../contracts/server-requests.js';
import { answerProblems, withDefaults } from './form.js';
import { inspectElicitation } from './inspect-elicitation.js';

export interface GuardOptions {
  readonly clock: Clock;
  /** Milliseconds that a callback may take. */
  readonly callbackMs: number;
  /** What the host waits for an answer to. Default: nothing. */
  readonly calls?: (() => readonly CallInFlight[]) | undefined;
}

/**
 * The host's callbacks as servers reach them: each with a deadline, none able to harm more than the one request, an
 * answer to a form completed with the schema's defaults and checked before it leaves.
 */
export function guardCallbacks(callbacks: HostCallbacks, options: GuardOptions): EngineCallbacks {
  const { elicit, elicitationModes, sample, roots } = callbacks;
  const bounded = bounder(options);
  return {
    ...(elicitationModes !== undefined && { elicitationModes }),
    ...(elicit !== undefined && {
      elicit: (request, context) =>
        bounded('elicitation', context, (inner) => answer(callbacks, inspectElicitation(request), inner)),
    }),
    ...(sample !== undefined && {
      sample: (params, context) => bounded('sampling', context, (inner) => sample(params, inner)),
    }),
    ...(roots !== undefined && {
      roots: (context) => bounded('roots', context, async (inner) => checkRoots(await roots(inner))),
    }),
  };
}

function checkRoots(given: readonly Root[]): readonly Root[] {
  const wrong = given.find(({ uri }) => !uri.startsWith('file://'));
  if (wrong === undefined) return given;
  throw new FittingsError('CALLBACK_FAILED', `A root must begin with file://, unlike "${wrong.uri}".`);
}

async function answer(
  callbacks: HostCallbacks,
  request: ElicitationRequest,
  context: ServerRequestInfo,
): Promise<ElicitationAnswer> {
  const { elicitationModes: modes } = callbacks;
  if (modes !== undefined && !modes.includes(request.mode)) {
    const text = `"${context.server}" asked for an elicitation of mode "${request.mode}", which was not declared.`;
    throw new FittingsError('PROTOCOL_VIOLATION', text, { server: context.server });
  }
  const early = await callbacks.beforeElicitation?.(request, context);
  const given = early ?? (await callbacks.elicit?.(request, context)) ?? { action: 'cancel' };
  const complete = complemented(request, given);
  const last = (await callbacks.afterElicitation?.(request, complete, context)) ?? complete;
  if (last.action === 'accept' && request.mode === 'form') {
    const problems = answerProblems(request.schema, last.content ?? {});
    if (problems.length > 0) {
      throw new FittingsError('CALLBACK_FAILED', `The answer does not fit the form: ${problems.join('; ')}.`);
    }
  }
  return last;
}

function complemented(request: ElicitationRequest, given: ElicitationAnswer): ElicitationAnswer {
  if (request.mode !== 'form' || given.action !== 'accept') return given;
  return { action: 'accept', content: withDefaults(request.schema, given.content ?? {}) };
}

/** Callbacks that run for one server at the same time; what it asks beyond that waits in the order in which it came. */
const AT_ONCE = 16;
/** Requests of one server that may wait for a callback; more are refused. */
const MAX_WAITING = 64;

type Bounded = <T>(
  what: string,
  context: EngineRequestInfo,
  work: (context: ServerRequestInfo) => Promise<T>,
) => Promise<T>;

function bounder(options: GuardOptions): Bounded {
  const places = createSemaphore(AT_ONCE);
  let asked = 0;
  return async (what, context, work) => {
    if (asked >= AT_ONCE + MAX_WAITING) {
      const text = `"${context.server}" asks for more at once than ${AT_ONCE + MAX_WAITING} times.`;
      throw new FittingsError('PROTOCOL_VIOLATION', text, { server: context.server });
    }
    asked++;
    try {
      return await runCallback(what, context, options, async (inner) => {
        const giveBack = await places.acquire(inner.signal);
        try {
          return await work({ ...inner, calls: options.calls?.() ?? [] });
        } finally {
          giveBack();
        }
      });
    } finally {
      asked--;
    }
  };
}

async function runCallback<T>(
  what: string,
  context: EngineRequestInfo,
  { clock, callbackMs }: GuardOptions,
  work: (context: EngineRequestInfo) => Promise<T>,
): Promise<T> {
  const { server } = context;
  const { signal: withdrawn } = context;
  const late = (): FittingsError =>
    new FittingsError('CALLBACK_FAILED', `The host's ${what} callback took over ${callbackMs} ms.`, {
      server,
    });
  try {
    return await withTimeout({ ms: callbackMs, error: late, signal: withdrawn, clock }, (signal) =>
      work({ server, signal }),
    );
  } catch (cause) {
    if (withdrawn.aborted) {
      throw new FittingsError('ABORTED', `"${server}" withdrew its request.`, {
        server,
        cause: withdrawn.reason,
      });
    }
    if (cause instanceof FittingsError) throw cause;
    throw new FittingsError('CALLBACK_FAILED', `The host's ${what} callback failed.`, { server, cause });
  }
}
