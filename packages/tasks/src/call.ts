import {
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { RESUME_METHOD, TASK_META } from '@mcp-fittings/toolbox/tasks';

/** A request of the client that a server may answer with a task. It declares the extension. */
export class Call {
  readonly id: RequestId;
  /** Name of the tool. */
  readonly tool: string;
  /** `_meta` for the requests about the task. */
  readonly meta: JSONRPCObject['_meta'];
  /** Key of the call, repeated in the notifications about its task. */
  readonly key: unknown;
  /** True if the task is not canceled when the client gives up or the call fails, and no store remembers it. */
  readonly keepsTask: boolean;
  readonly progressToken: unknown;
  /** Headers for the requests about the task. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly requestSignal: AbortSignal | undefined;
  /** True if the request is of the revision 2026-07-28 or later, in which a server does not send requests. */
  readonly isStateless: boolean;
  /** True if it asks for the result of a task that exists, so that the server has not received it. */
  readonly isResumed: boolean;
  /** Settles with `send()` of the request: resolved when the response was delivered. */
  readonly done: Promise<void>;
  readonly #deliver: (message: JSONRPCMessage) => void;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(
    { id, method, params = {} }: JSONRPCRequest,
    options: TransportSendOptions & { readonly isStateless: boolean },
    deliver: (message: JSONRPCMessage) => void,
  ) {
    const meta: unknown = params._meta;
    const { progressToken, [TASK_META]: marker, ...rest } = isRecord(meta) ? meta : {};
    const { name, tool = name } = params;
    this.id = id;
    this.tool = typeof tool === 'string' ? tool : '';
    this.meta = rest;
    this.key = isRecord(marker) ? marker['key'] : undefined;
    this.keepsTask = isRecord(marker) && marker['keep'] === true;
    this.progressToken = progressToken;
    this.headers = withoutRouting(options.headers);
    this.requestSignal = options.requestSignal;
    this.isStateless = options.isStateless;
    this.isResumed = method === RESUME_METHOD;
    this.#deliver = deliver;
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It is also awaited by `send()`; the client may have left meanwhile.
    this.done.catch(() => undefined);
  }

  /** Delivers the response to the client. */
  answer(
    body: { result: JSONRPCObject } | { error: { code: number; message: string; data?: unknown } },
  ): void {
    this.#deliver({ jsonrpc: '2.0', id: this.id, ...body });
    this.#resolve();
  }

  /** The client no longer waits for the response, or has received it. */
  settle(): void {
    this.#resolve();
  }

  /** No response can arrive. */
  fail(error: unknown): void {
    this.#reject(error);
  }
}

/** Headers that repeat parts of the call, such as its arguments, would contradict the other requests (SEP-2243). */
function withoutRouting(headers: TransportSendOptions['headers']): TransportSendOptions['headers'] {
  if (headers === undefined) return undefined;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^mcp-/i.test(name)));
}

/** Returns the error of a connection that ended while a task was polled. The task may go on. */
export function connectionEnded(server: string, reason: TransportError | undefined): TransportError {
  const why = reason === undefined ? '' : `: ${reason.message}`;
  return new TransportError(
    reason?.code ?? 'TRANSPORT_CLOSED',
    `The connection to the server "${server}" ended while a task was polled${why}`,
    {
      server,
      cause: reason,
      kind: reason?.kind,
      details: reason?.details,
      hint: reason?.hint,
      delivery: 'unknown',
    },
  );
}
