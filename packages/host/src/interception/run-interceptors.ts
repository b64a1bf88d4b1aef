import { AuthRequiredError, type Clock, type Delivery, FittingsError } from '@mcp-fittings/client-core';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { kindOf } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { InterceptedOperations, InterceptedRequest, Interceptor } from '../contracts/interceptor.js';
import { createAsyncContext } from '../platform.js';
import { copyMembers } from './copy-members.js';

/** Options of one intercepted operation. */
export interface RunOptions {
  /** Longest time that the interceptors may hold the operation before it begins, and again after it has ended, in milliseconds. */
  readonly timeoutMs: number;
  /** Signal of the caller. */
  readonly signal?: AbortSignal | undefined;
}

/** A request without the signal, which is created for each operation. */
export type Unsigned<Name extends keyof InterceptedOperations> = InterceptedOperations[Name]['request'] & {
  readonly operation: Name;
  readonly server: string;
};

/** Runs one operation through the interceptors. */
export type RunInterceptors = <Name extends keyof InterceptedOperations>(
  request: Unsigned<Name>,
  options: RunOptions,
  operate: (request: InterceptedRequest<Name>) => Promise<InterceptedOperations[Name]['result']>,
) => Promise<InterceptedOperations[Name]['result']>;

/** Most operations of which each was started by an interceptor of the one before. */
const MAX_LEVELS = 16;

/** The first interceptor is the outermost. */
export function createRunInterceptors(all: readonly Interceptor[], clock: Clock): RunInterceptors {
  const interceptors = all.map(asStep);
  /** Number of operations above the running code: each was started by an interceptor of the one before. */
  const levels = createAsyncContext<number>();
  return (given, options, operate) => {
    const controller = new AbortController();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Unsigned` lacks the signal only
    const request = { ...copyMembers(given), signal: controller.signal } as unknown as InterceptedRequest;
    const { signal, timeoutMs } = options;
    const { operation, server } = request;
    const level = levels.getStore() ?? 0;
    let phase: 'before' | 'during' | 'after' = 'before';
    let over = false;
    /** Error of the operation itself. */
    let failure: unknown;
    let timer: Disposable | undefined;

    const delivery = (): Delivery | undefined => {
      if (phase === 'before') return 'not-sent';
      return failure instanceof FittingsError ? failure.delivery : 'unknown';
    };
    const failed = (code: 'CALLBACK_FAILED' | 'TIMEOUT' | 'ABORTED', text: string, cause?: unknown) =>
      new FittingsError(code, text, { server, cause, delivery: delivery() });

    /** Returns the error of the interceptors as the error of the operation, with the delivery that is true. */
    const toError = (error: unknown): unknown => {
      if (error === failure || error instanceof AuthRequiredError) return error;
      if (!(error instanceof FittingsError)) {
        return failed(
          'CALLBACK_FAILED',
          `An interceptor failed ${operation} on the server "${server}".`,
          error,
        );
      }
      const truth = delivery();
      if (error.delivery === truth && error.server !== undefined) return error;
      return restateError(error, { server: error.server ?? server, delivery: truth });
    };

    return new Promise((resolve, reject) => {
      const end = (): void => {
        over = true;
        timer?.[Symbol.dispose]();
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (error: FittingsError): void => {
        if (over) return;
        end();
        controller.abort(error);
        reject(error);
      };
      const watch = (): void => {
        timer = clock.schedule(() => {
          giveUp(
            failed(
              'TIMEOUT',
              `An interceptor held ${operation} on the server "${server}" for ${timeoutMs} ms.`,
            ),
          );
        }, timeoutMs);
      };
      const onAbort = (): void => {
        // The operation has the signal itself, and knows more of its delivery.
        if (phase === 'during') return controller.abort(signal?.reason);
        const text = `The caller aborted ${operation} on the server "${server}" while an interceptor held it.`;
        giveUp(failed('ABORTED', text, signal?.reason));
      };

      const operateOnce = async (changed: InterceptedRequest): Promise<unknown> => {
        timer?.[Symbol.dispose]();
        phase = 'during';
        try {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `operation` is unchanged
          return await levels.exit(() => operate(changed as Parameters<typeof operate>[0]));
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          phase = 'after';
          if (!over) watch();
        }
      };

      const step = async (index: number, received: InterceptedRequest): Promise<unknown> => {
        // Nothing may be sent for an operation that has failed already.
        if (over) throw failed('CALLBACK_FAILED', `next() was called after ${operation} had ended.`);
        const interceptor = interceptors[index];
        if (interceptor === undefined) return operateOnce(received);
        const who = `The interceptor ${nameOf(all[index], index)}`;
        let called = false;
        const next = (changed: unknown): Promise<unknown> => {
          if (called)
            return rejected(failed('CALLBACK_FAILED', `${who} called next() twice for ${operation}.`));
          called = true;
          if (!isRecord(changed) || !isSameOperation(request, changed)) {
            const problem = `${who} called next() without the request of ${operation}, with another operation or server, or with a member of another type.`;
            return rejected(failed('CALLBACK_FAILED', problem));
          }
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of its own members are the interceptor's
          const passed = { ...changed, signal: request.signal } as unknown as InterceptedRequest;
          return observed(step(index + 1, passed));
        };
        const result = await levels.run(level + 1, () => interceptor(received, next));
        if (!isResult[operation](result)) {
          throw failed('CALLBACK_FAILED', `${who} did not return a result of ${operation}.`);
        }
        return result;
      };

      if (level >= MAX_LEVELS) {
        const text = `Interceptors called the host within each other ${MAX_LEVELS} times; ${operation} on the server "${server}" is not sent.`;
        return giveUp(failed('CALLBACK_FAILED', text));
      }
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      watch();
      step(0, request).then(
        (result) => {
          if (over) return;
          end();
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked above
          resolve(result as Awaited<ReturnType<typeof operate>>);
        },
        (error: unknown) => {
          if (over) return;
          end();
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the failure of the operation is passed on
          reject(toError(error));
        },
      );
    });
  };
}

/** Returns whether a changed request is of the operation and the server, with members of the same types. Others would be sent as they are. */
function isSameOperation(request: InterceptedRequest, changed: Readonly<Record<string, unknown>>): boolean {
  const { operation, server, signal: _, ...members } = request;
  if (changed['operation'] !== operation || changed['server'] !== server) return false;
  return Object.entries(members).every(([name, value]) => kindOf(changed[name]) === kindOf(value));
}

/** One interceptor, for any operation. */
type Step = (request: InterceptedRequest, next: (request: unknown) => Promise<unknown>) => Promise<unknown>;

function asStep(interceptor: Interceptor): Step {
  if (typeof interceptor === 'function') return interceptor;
  return (request, next) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler of an operation takes its request and its next
    const handler = interceptor[request.operation] as Step | undefined;
    return handler === undefined ? next(request) : handler.call(interceptor, request, next);
  };
}

function nameOf(interceptor: Interceptor | undefined, index: number): string {
  return typeof interceptor === 'function' && interceptor.name !== ''
    ? `"${interceptor.name}"`
    : String(index + 1);
}

/** An interceptor need not await `next()`; its failure must not become an unhandled rejection of the program. */
function observed(work: Promise<unknown>): Promise<unknown> {
  work.catch(() => undefined);
  return work;
}

const rejected = (error: FittingsError): Promise<never> => {
  const promise = Promise.reject(error);
  promise.catch(() => undefined);
  return promise;
};

const has =
  (member: string) =>
  (value: unknown): boolean =>
    isRecord(value) && Array.isArray(value[member]);
const anything = (): boolean => true;

/** Returns true if a value is a result of the operation, as far as the host relies on it. */
const isResult: Readonly<Record<keyof InterceptedOperations, (value: unknown) => boolean>> = {
  connect: anything,
  listTools: has('items'),
  listPrompts: has('items'),
  listResources: has('items'),
  listResourceTemplates: has('items'),
  callTool: has('content'),
  getPrompt: has('messages'),
  readResource: has('contents'),
  complete: has('values'),
  request: isRecord,
  notify: anything,
  subscribe: anything,
  unsubscribe: anything,
  setLogLevel: anything,
  elicit: (value) => isRecord(value) && typeof value['action'] === 'string',
  sample: isRecord,
  roots: Array.isArray,
};
