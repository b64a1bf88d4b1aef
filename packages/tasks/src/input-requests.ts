import { randomUUID } from 'node:crypto';
import {
  type Clock,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCResponse,
  TransportError,
} from '@mcp-fittings/client-core';
import { isErrorResponse, isRecord, META } from '@mcp-fittings/toolbox/messages';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { InputRequest } from '@mcp-fittings/toolbox/tasks';
import type { Call } from './call.js';

const PREFIX = 'com.mcp-fittings/tasks/input/';

export interface InputRequestsDeps {
  readonly server: string;
  readonly clock: Clock;
  readonly inputMs: number;
  /** Delivers a message to the client. */
  readonly deliver: (message: JSONRPCMessage) => void;
}

/** Answers of the client, and its request that waits for the result of the task from now on. */
export interface Answered {
  readonly responses: JSONRPCObject;
  readonly call: Call;
}

/**
 * Has the handlers of the client answer the requests of a task: as a server of the client's revision would send them.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Update Requests"
 */
export class InputRequests {
  readonly #deps: InputRequestsDeps;
  readonly #retries = new Map<string, (answered: Answered) => void>();
  readonly #responses = new Map<string, (response: JSONRPCResponse) => void>();
  #last = 0;

  constructor(deps: InputRequestsDeps) {
    this.#deps = deps;
  }

  /** Rejects with `TIMEOUT`, `CALLBACK_FAILED`, `PROTOCOL_VIOLATION` or the reason of `signal`. */
  async ask(requests: ReadonlyMap<string, InputRequest>, call: Call, signal: AbortSignal): Promise<Answered> {
    if (call.isStateless) {
      for (const { method } of requests.values()) checkDeclared(this.#deps.server, method, call);
      return this.#askWithinCall(requests, call, signal);
    }
    // The first that fails ends the others.
    const round = new AbortController();
    const entries = [...requests].map(async ([key, request]) => {
      try {
        return [key, await this.#askOne(request, AbortSignal.any([signal, round.signal]))] as const;
      } catch (error) {
        round.abort(error);
        throw error;
      }
    });
    return { responses: Object.fromEntries(await Promise.all(entries)), call };
  }

  /** Takes a repeated call with the answers of the client, and returns it; `undefined` if it belongs to the server. */
  takeRetry(params: JSONRPCObject | undefined, create: () => Call): Call | undefined {
    const state = params?.['requestState'];
    const resolve = typeof state === 'string' ? this.#retries.get(state) : undefined;
    if (resolve === undefined) return undefined;
    const given = params?.['inputResponses'];
    const call = create();
    resolve({ responses: isRecord(given) ? given : {}, call });
    return call;
  }

  /** Takes a response of the client; returns `false` if it belongs to the server. */
  takeResponse(response: JSONRPCResponse): boolean {
    const { id } = response;
    if (typeof id !== 'string' || !id.startsWith(PREFIX)) return false;
    this.#responses.get(id)?.(response);
    return true;
  }

  /** 2026-07-28: the client answers within its call, and repeats that with the answers. */
  async #askWithinCall(
    requests: ReadonlyMap<string, InputRequest>,
    call: Call,
    signal: AbortSignal,
  ): Promise<Answered> {
    // Only the client sees it.
    const requestState = `${PREFIX}${randomUUID()}`;
    try {
      return await this.#within(
        signal,
        () =>
          new Promise<Answered>((resolve) => {
            this.#retries.set(requestState, resolve);
            const inputRequests = Object.fromEntries(requests);
            call.answer({ result: { resultType: 'input_required', inputRequests, requestState } });
          }),
      );
    } finally {
      this.#retries.delete(requestState);
    }
  }

  async #askOne({ method, params }: InputRequest, signal: AbortSignal): Promise<JSONRPCObject> {
    const { server, deliver } = this.#deps;
    const id = `${PREFIX}${++this.#last}`;
    let isAnswered = false;
    try {
      const response = await this.#within(
        signal,
        () =>
          new Promise<JSONRPCResponse>((resolve) => {
            this.#responses.set(id, resolve);
            deliver({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
          }),
      );
      isAnswered = true;
      if (!isErrorResponse(response)) return response.result;
      throw new TransportError(
        'CALLBACK_FAILED',
        `The client did not answer ${method}, which a task of the server "${server}" needs: ${response.error.message}`,
        { server, delivery: 'unknown' },
      );
    } finally {
      this.#responses.delete(id);
      if (!isAnswered)
        deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
  }

  #within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { server, clock, inputMs } = this.#deps;
    const error = (): Error =>
      new TransportError(
        'TIMEOUT',
        `The client did not answer a request of a task of the server "${server}" within ${inputMs} ms.`,
        { server, delivery: 'unknown' },
      );
    return withTimeout({ ms: inputMs, error, signal, clock }, work);
  }
}

/** A client without the handler would end the call without telling the server. */
function checkDeclared(server: string, method: string, call: Call): void {
  const declared = call.meta?.[META.clientCapabilities];
  // Such as `elicitation` of `elicitation/create`.
  const capability = method.split('/')[0] ?? '';
  if (isRecord(declared) && isRecord(declared[capability])) return;
  throw new TransportError(
    'PROTOCOL_VIOLATION',
    `A task of the server "${server}" requires ${method}, which the client did not declare.`,
    { server, delivery: 'unknown' },
  );
}
