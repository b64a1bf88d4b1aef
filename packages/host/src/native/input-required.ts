import { type Clock, FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { INPUT_METHODS } from '@mcp-fittings/toolbox/tasks';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { linkSignal, sleep } from '@mcp-fittings/toolbox/timing';
import { otherError, timeoutError, withDelivery, type FailedRequest } from '../engine/request-errors.js';
import type { EngineRequestInfo } from '../contracts/engine.js';
import type { SendOptions } from './connection.js';
import type { Answers } from './server-requests.js';

/** Most times that a server may ask for input before it answers one request. */
const MAX_ROUNDS = 10;
/** Wait before a request is repeated for which the server needs no input, in milliseconds. */
const REPEAT_MS = 250;

export interface InputRequiredOptions {
  readonly failed: FailedRequest;
  readonly clock: Clock;
  readonly answers: Answers;
  /** Sends the request with these parameters, under a new id. */
  readonly send: (params: JSONRPCObject, options: SendOptions) => Promise<JSONRPCObject>;
}

/**
 * Sends a request of revision 2026-07-28 until its result is complete: a result may ask for input first, which the callbacks of the host
 * give.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function requestWithInput(
  params: JSONRPCObject,
  options: SendOptions,
  { failed, clock, answers, send }: InputRequiredOptions,
): Promise<JSONRPCObject> {
  const { maxTotalMs } = options;
  const startedAt = maxTotalMs === undefined ? 0 : clock.now();
  let result = await send(params, options);
  for (let round = 1; result['resultType'] === 'input_required'; round++) {
    if (round > MAX_ROUNDS) throw violation(failed, `still requires input after ${MAX_ROUNDS} rounds`);
    const more = await provideInput(result, failed, { answers, clock, call: options.call }).catch(
      (error: unknown): never => {
        throw withDelivery(failed, otherError(failed, error, 'CALLBACK_FAILED'));
      },
    );
    const leftMs = maxTotalMs === undefined ? undefined : maxTotalMs - (clock.now() - startedAt);
    if (leftMs !== undefined && leftMs <= 0) throw timeoutError(failed, undefined);
    result = await send({ ...params, ...more }, { ...options, maxTotalMs: leftMs });
  }
  const type: unknown = result['resultType'];
  if (type === undefined || type === 'complete') return result;
  const shown = typeof type === 'string' ? sanitizeText(type, { maxLength: 40 }) : typeof type;
  throw violation(failed, `has the unknown result type "${shown}"`);
}

/** Returns what a request is repeated with: the answers, and the state of the server exactly as it came. */
async function provideInput(
  { inputRequests, requestState: state }: JSONRPCObject,
  failed: FailedRequest,
  { answers, clock, call }: Pick<InputRequiredOptions, 'answers' | 'clock'> & Pick<SendOptions, 'call'>,
): Promise<JSONRPCObject> {
  const asked = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
  const requestState = typeof state === 'string' ? { requestState: state } : {};
  if (asked.length === 0) {
    if (typeof state !== 'string') throw violation(failed, 'requires input and does not say which');
    await sleep(REPEAT_MS, { clock, signal: failed.signal });
    return requestState;
  }
  const { server } = failed;
  const own = linkSignal(failed.signal);
  try {
    const given = asked.map(
      async ([key, request]) =>
        [key, await answerOne(request, failed, answers, { server, signal: own.signal, call })] as const,
    );
    return { inputResponses: Object.fromEntries(await Promise.all(given)), ...requestState };
  } catch (error) {
    // The other questions are pointless now.
    own.abort(error);
    throw error;
  } finally {
    own[Symbol.dispose]();
  }
}

function answerOne(
  request: unknown,
  failed: FailedRequest,
  answers: Answers,
  info: EngineRequestInfo,
): Promise<JSONRPCObject> {
  const { server } = failed;
  const { method, params }: Readonly<Record<string, unknown>> = isRecord(request) ? request : {};
  if (typeof method !== 'string' || !INPUT_METHODS.has(method))
    throw violation(failed, 'requires input of an unknown kind');
  const answered = answers.to(method, isRecord(params) ? params : {}, info);
  if (answered !== undefined) return answered;
  throw new FittingsError(
    'CAPABILITY_MISSING',
    `The server "${server}" requires what this host does not have: ${method}`,
    { server, delivery: 'rejected' },
  );
}

function violation({ server, what }: FailedRequest, problem: string): FittingsError {
  const text = `The result of ${what} of the server "${server}" ${problem}.`;
  return new FittingsError('PROTOCOL_VIOLATION', text, { server, delivery: 'unknown' });
}
