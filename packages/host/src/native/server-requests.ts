import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type RequestId,
} from '@mcp-fittings/client-core';
import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { EngineCallbacks, EngineRequestInfo } from '../contracts/engine.js';
import { elicited, toElicitationRequest } from '../engine/elicitation.js';

/** Answers requests of a server with the callbacks of the host, whether they arrive as requests or inside results. */
export class Answers {
  readonly #server: string;
  readonly #callbacks: EngineCallbacks;

  constructor(server: string, callbacks: EngineCallbacks) {
    this.#server = server;
    this.#callbacks = callbacks;
  }

  /** Answers one request of the server. Returns `undefined` if the host has no callback for the method. */
  to(method: string, params: JSONRPCObject, info: EngineRequestInfo): Promise<JSONRPCObject> | undefined {
    const { elicit, sample, roots } = this.#callbacks;
    switch (method) {
      case 'elicitation/create':
        return elicit && this.#toElicitation(params, info, elicit);
      case 'sampling/createMessage':
        return sample && sample(params, info).then((result) => checkSample(this.#server, result));
      case 'roots/list':
        return (
          roots &&
          roots(info).then((given) => ({
            roots: given.map(({ uri, name }) => ({ uri, ...(name !== undefined && { name }) })),
          }))
        );
      default:
        return undefined;
    }
  }

  async #toElicitation(
    params: JSONRPCObject,
    info: EngineRequestInfo,
    ask: NonNullable<EngineCallbacks['elicit']>,
  ): Promise<JSONRPCObject> {
    const server = this.#server;
    const { elicitationModes = ['form', 'url'] } = this.#callbacks;
    const request = toElicitationRequest(server, params);
    if (!elicitationModes.includes(request.mode)) {
      const text = `The server "${server}" requested an elicitation of mode "${request.mode}", which was not declared.`;
      throw new FittingsError('PROTOCOL_VIOLATION', text, { server });
    }
    const answer = await ask(request, info);
    return answer.action === 'accept'
      ? { action: answer.action, content: elicited(answer.content ?? {}) }
      : { action: answer.action };
  }
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant']);

/** Throws `CALLBACK_FAILED` if a server could not use the result of the sampling callback. */
function checkSample(server: string, result: JSONRPCObject): JSONRPCObject {
  const { role, model, content }: Readonly<Record<string, unknown>> = isRecord(result) ? result : {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const isValid =
    ROLES.has(role) &&
    typeof model === 'string' &&
    blocks.every((block) => isRecord(block) && typeof block['type'] === 'string');
  if (isValid) return result;
  throw new FittingsError(
    'CALLBACK_FAILED',
    `The sampling callback for the server "${server}" did not return a result of sampling/createMessage.`,
    { server },
  );
}

export interface ServerRequestsOptions {
  readonly server: string;
  readonly answers: Answers;
  readonly respond: (message: JSONRPCMessage) => void;
}

/** Responds to the requests of one server, until it cancels them or the connection ends. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  /** Created for the first one, which most connections never have. */
  #running: Map<RequestId, AbortController> | undefined;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  receive(id: RequestId, method: string, params: JSONRPCObject): void {
    const { server, answers } = this.#options;
    if (method === 'ping') return this.#respond(id, {});
    if (this.#running?.has(id) === true)
      return this.#refuse(id, RPC_CODES.invalidRequest, 'A request with this id is in flight');
    const controller = new AbortController();
    const answered = answers.to(method, params, { server, signal: controller.signal });
    if (answered === undefined) {
      return this.#refuse(id, RPC_CODES.methodNotFound, 'Method not found');
    }
    const running = (this.#running ??= new Map());
    running.set(id, controller);
    const finish = (respond: () => void): void => {
      running.delete(id);
      if (!controller.signal.aborted) respond();
    };
    answered.then(
      (result) => finish(() => this.#respond(id, result)),
      (error: unknown) => finish(() => this.#refuse(id, codeFor(error), textOf(error))),
    );
  }

  /** The server withdraws a request. It gets no response. */
  cancel(id: unknown, reason: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#running?.get(id)?.abort(reason);
  }

  /** The connection has ended. */
  end(reason: () => unknown): void {
    for (const controller of this.#running?.values() ?? []) controller.abort(reason());
    this.#running = undefined;
  }

  #respond(id: RequestId, result: JSONRPCObject): void {
    this.#options.respond({ jsonrpc: '2.0', id, result });
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#options.respond({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

/** A request that breaks the protocol has wrong parameters; everything else failed on this side. */
function codeFor(error: unknown): number {
  return error instanceof FittingsError && error.code === 'PROTOCOL_VIOLATION'
    ? RPC_CODES.invalidParams
    : RPC_CODES.internalError;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
