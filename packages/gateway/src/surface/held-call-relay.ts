import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { Question } from '../callbacks/client-input.js';
import type { HeldCalls } from '../callbacks/held-calls.js';
import type { ClientExchange } from '../callbacks/open-call.js';
import { replicaOf } from '../state/replica-ids.js';
import type { ReplicaLink } from '../state/replica-link.js';
import { RpcError } from '../contracts/rpc-error.js';
import { toRpcError } from './rpc-errors.js';

/** A request that continues a call. */
export interface ContinuedRequest {
  /** `requestState`: the id under which the call is held. */
  readonly id: string;
  /** Caller, method and parameters that the request must match. */
  readonly binding: string;
  /** Answers of the client. */
  readonly responses: Readonly<Record<string, unknown>>;
  readonly exchange: ClientExchange;
  /** Aborted when the client gives up. */
  readonly signal: AbortSignal;
}

const KIND = 'held-call';

/**
 * Continues calls that wait in the memory of another replica, and those of this one for the others. Only the era of 2026-07-28 holds calls
 * between two requests.
 */
export class HeldCallRelay {
  readonly #replicas: ReplicaLink;

  constructor(replicas: ReplicaLink, held: HeldCalls) {
    this.#replicas = replicas;
    replicas.answer(KIND, async (body, { signal, note }): Promise<RelayedStep> => {
      if (!isRelayedRequest(body)) return {};
      const call = held.take(body.id, body.binding);
      if (call === undefined) return {};
      const exchange: ClientExchange = {
        client: call.exchange.client,
        capabilities: body.capabilities,
        notify: (method, params) => void note({ method, params }),
      };
      using _continued = call.continue(exchange, body.responses, signal);
      try {
        const step = await call.step();
        if ('questions' in step) return { questions: step.questions, state: held.hold(call, body.binding) };
        return { result: step.result };
      } catch (error) {
        return { error: toRpcError(error, 'modern').toJSON() };
      }
    });
  }

  /**
   * Returns the result, or the next questions. `undefined` if no replica holds the call. Rejects with an {@link RpcError}: that of the call,
   * or one with `delivery: 'unknown'` if the replica has ended, because the server has got the call.
   */
  async resume(continued: ContinuedRequest): Promise<JSONRPCObject | undefined> {
    const { id, binding, responses, exchange, signal } = continued;
    const replica = replicaOf(id);
    if (replica === undefined || replica === this.#replicas.id) return undefined;
    const request: RelayedRequest = { id, binding, responses, capabilities: exchange.capabilities };
    const onNote = (body: unknown): void => {
      if (isNotification(body)) exchange.notify(body.method, body.params ?? {});
    };
    let step: unknown;
    try {
      step = await this.#replicas.ask(replica, KIND, request, { signal, onNote });
    } catch (error) {
      throw toRpcError(error, 'modern');
    }
    return readStep(step);
  }
}

interface RelayedRequest extends Pick<ContinuedRequest, 'id' | 'binding' | 'responses'> {
  readonly capabilities: JSONRPCObject | undefined;
}

/** Reply of another replica about a call. Empty: it does not hold the call. */
interface RelayedStep {
  readonly result?: unknown;
  readonly questions?: Readonly<Record<string, Question>>;
  readonly state?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Replicas trust each other, but may run different versions. */
function readStep(step: unknown): JSONRPCObject | undefined {
  if (!isRecord(step)) return undefined;
  const { result, questions, state, error } = step;
  if (isRecord(result)) return result;
  if (isRecord(error)) {
    throw new RpcError(Number(error['code']), String(error['message']), error['data']);
  }
  if (!isRecord(questions) || typeof state !== 'string') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the questions of an open call, which another replica has sent
  return inputRequired(questions as Record<string, Question>, state);
}

function isRelayedRequest(value: unknown): value is RelayedRequest {
  if (!isRecord(value) || typeof value['id'] !== 'string' || typeof value['binding'] !== 'string')
    return false;
  const { responses, capabilities } = value;
  return isRecord(responses) && (capabilities === undefined || isRecord(capabilities));
}

function isNotification(value: unknown): value is Question {
  if (!isRecord(value) || typeof value['method'] !== 'string') return false;
  return value['params'] === undefined || isRecord(value['params']);
}

/** Returns the result that asks a client of 2026-07-28, which continues the call with its next request. */
export function inputRequired(
  inputRequests: Readonly<Record<string, Question>>,
  requestState: string,
): JSONRPCObject {
  return { resultType: 'input_required', inputRequests, requestState };
}
