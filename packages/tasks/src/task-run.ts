import {
  AuthRequiredError,
  type Clock,
  FittingsError,
  type JSONRPCObject,
  TransportError,
} from '@mcp-fittings/client-core';
import { isErrorResponse, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { backoffDelay, settlesWithin, sleep } from '@mcp-fittings/toolbox/timing';
import { readTask, type DetailedTask, type Task } from '@mcp-fittings/toolbox/tasks';
import type { Call } from './call.js';
import type { InputRequests } from './input-requests.js';
import type { TaskLimits } from './limits.js';
import type { OwnRequests } from './own-requests.js';

export interface TaskRunDeps {
  readonly server: string;
  readonly clock: Clock;
  readonly limits: TaskLimits;
  readonly own: OwnRequests;
  readonly inputs: InputRequests;
  /** Called first. Resolves when the task is remembered. */
  readonly onStart: () => Promise<void>;
  /** Called with each state of the task that a poll returned, and with the call that waits for it. */
  readonly onPoll: (task: Task, call: Call) => void;
  /** Called before answers are sent, with the keys of all input requests so far. Resolves when they are remembered. */
  readonly onAnswered: (keys: readonly string[]) => Promise<void>;
  /** Called when the task is over: its result is known, or is not wanted any more. Not called if the connection ended. */
  readonly onEnd: () => void;
}

export interface TaskRunOptions {
  readonly taskId: string;
  readonly call: Call;
  /** State that the server returned instead of the result; `undefined` if the task is resumed. */
  readonly seed: Task | undefined;
  /** Input requests that were answered before. */
  readonly answered: Iterable<string>;
}

/** Polls one task until it ends, and answers the call that created it. */
export class TaskRun {
  readonly taskId: string;
  #call: Call;
  readonly #deps: TaskRunDeps;
  readonly #answered: Set<string>;
  readonly #stop = new AbortController();
  readonly #since: number;
  /** Last state that the server returned. */
  #task: Task | undefined;

  constructor(deps: TaskRunDeps, { taskId, call, seed, answered }: TaskRunOptions) {
    this.taskId = taskId;
    this.#deps = deps;
    this.#call = call;
    this.#task = seed;
    this.#answered = new Set(answered);
    this.#since = deps.clock.now();
  }

  /** The request of the client that waits for the result. */
  get call(): Call {
    return this.#call;
  }

  /** Polls until the task ends. Never rejects: failures go to the call. */
  async run(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { limits, clock, onStart, onPoll, onEnd } = this.#deps;
    try {
      // First, so that the client knows of no task that a restart would lose. A store that hangs delays the task, not more.
      await settlesWithin(limits.requestMs, onStart(), clock);
      this.#stop.signal.throwIfAborted();
      if (this.#task !== undefined) onPoll(this.#task, this.#call);
      const body = await this.#outcome();
      if (this.#stop.signal.aborted) return;
      this.#call.answer(body);
      // Last, so that a program that is killed in between asks for the result again.
      onEnd();
    } catch (error) {
      // The client gave up, or the connection ended: the call was settled then.
      if (this.#stop.signal.aborted) return;
      if (!isUnreachable(error) && !this.#call.keepsTask) this.#abandon();
      this.#call.fail(error);
    }
  }

  /**
   * The client gave up: tells the server, without waiting for its answer, unless the call keeps its task.
   * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Cancellation"
   */
  cancel(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    if (!this.#call.keepsTask) this.#abandon();
    this.#call.settle();
  }

  /** The connection has ended. The task may go on, and can be resumed. */
  disconnected(error: Error): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(error);
    this.#call.fail(error);
  }

  /** Has the server stop the work. */
  #abandon(): void {
    this.#deps.onEnd();
    this.#request('tasks/cancel', {}, undefined).catch(() => undefined);
  }

  async #outcome(): Promise<Parameters<Call['answer']>[0]> {
    const { limits } = this.#deps;
    // A seed that is not at work has something to fetch.
    if (this.#task?.status === 'working') await this.#wait();
    for (let polls = 1; ; polls++) {
      const task = await this.#poll();
      const body = this.#bodyOf(task);
      if (body !== undefined) return body;
      if (task.inputRequests !== undefined) await this.#answer(task.inputRequests);
      if (polls >= limits.maxPolls) throw this.#ended(`is not done after ${polls} polls`);
      this.#checkAge(task);
      await this.#wait();
    }
  }

  /** Returns the response for a task that is over; `undefined` for one that is not. */
  #bodyOf(task: DetailedTask): Parameters<Call['answer']>[0] | undefined {
    if (task.status === 'cancelled') throw this.#ended('was canceled by the server', task.statusMessage);
    if (task.error !== undefined) return { error: task.error };
    const { result } = task;
    if (result === undefined) return undefined;
    const { resultType = 'complete' } = result;
    if (resultType !== 'complete') {
      throw this.#violation(`its result has the type ${JSON.stringify(String(resultType).slice(0, 40))}`);
    }
    // The example of the specification omits it, and a client of 2026-07-28 requires it.
    return { result: this.#call.isStateless ? { ...result, resultType } : result };
  }

  async #poll(): Promise<DetailedTask> {
    const result = await this.#requestWithRetries('tasks/get', {});
    const task = readTask(result);
    if (typeof task === 'string') throw this.#violation(task);
    if (task.taskId !== this.taskId) throw this.#violation('its "taskId" is that of another task');
    this.#task = task;
    this.#deps.onPoll(task, this.#call);
    return task;
  }

  async #answer(requests: NonNullable<DetailedTask['inputRequests']>): Promise<void> {
    // The state may lag behind the answers, and a question is asked once.
    const fresh = new Map([...requests].filter(([key]) => !this.#answered.has(key)));
    if (fresh.size === 0) return;
    const { inputs, limits, clock, onAnswered } = this.#deps;
    for (const key of fresh.keys()) this.#answered.add(key);
    if (this.#answered.size > limits.maxInputs) {
      throw this.#violation(`it has more than ${limits.maxInputs} input requests`);
    }
    const { responses, call } = await inputs.ask(fresh, this.#call, this.#stop.signal);
    this.#call = call;
    // First, so that a restart in between asks nothing twice. A store that hangs delays the answers, not more.
    await settlesWithin(limits.requestMs, onAnswered([...this.#answered]), clock);
    await this.#requestWithRetries('tasks/update', { inputResponses: responses });
  }

  /** A task outlives a failed request: it is sent again, until too many have failed in a row. All of them may be repeated. */
  async #requestWithRetries(method: string, params: JSONRPCObject): Promise<JSONRPCObject> {
    const { server, limits, clock } = this.#deps;
    const { signal } = this.#stop;
    for (let failures = 0; ; failures++) {
      let failure: unknown;
      try {
        const response = await this.#request(method, params, signal);
        if (!isErrorResponse(response)) return response.result;
        const { code, message } = response.error;
        failure = new TransportError(
          'RPC_ERROR',
          `The server "${server}" answered ${method} of a task with an error: ${sanitizeText(message)}`,
          {
            server,
            // The call itself was accepted.
            delivery: 'unknown',
            retryable: code === RPC_CODES.internalError,
            details: { rpcCode: code },
          },
        );
      } catch (error) {
        failure = error;
      }
      signal.throwIfAborted();
      if (!mayPass(failure) || failures >= limits.maxFailures) throw asTaskFailure(server, failure);
      const asked = failure instanceof FittingsError ? Number(failure.details['retryAfterMs'] ?? 0) : 0;
      const own = backoffDelay(failures, { initialMs: this.#interval(), maxMs: limits.maxPollMs, jitter: 0 });
      await sleep(Math.min(limits.maxPollMs, Math.max(own, asked)), { clock, signal });
    }
  }

  #request(
    method: string,
    params: JSONRPCObject,
    signal: AbortSignal | undefined,
  ): ReturnType<OwnRequests['send']> {
    const { meta, headers } = this.#call;
    const all = { taskId: this.taskId, ...params, ...(meta !== undefined && { _meta: meta }) };
    return this.#deps.own.send(method, all, { headers, signal });
  }

  #wait(): Promise<void> {
    return sleep(this.#interval(), { clock: this.#deps.clock, signal: this.#stop.signal });
  }

  #interval(): number {
    const { minPollMs, maxPollMs, defaultPollMs } = this.#deps.limits;
    return Math.min(maxPollMs, Math.max(minPollMs, this.#task?.pollIntervalMs ?? defaultPollMs));
  }

  /** The time to live is measured from when the task became known here, because the clocks differ. */
  #checkAge({ ttlMs }: Task): void {
    const age = this.#deps.clock.now() - this.#since;
    const { maxTaskMs } = this.#deps.limits;
    if (ttlMs !== null && age > ttlMs) throw this.#ended('is not done at the end of its time to live');
    if (age > maxTaskMs) throw this.#ended(`is not done after ${maxTaskMs} ms`);
  }

  #ended(what: string, why?: string): TransportError {
    const { server } = this.#deps;
    const reason = why === undefined ? '.' : `: ${why}`;
    return new TransportError('TASK_ENDED', `A task of the server "${server}" ${what}${reason}`, {
      server,
      delivery: 'unknown',
    });
  }

  #violation(what: string): TransportError {
    const { server } = this.#deps;
    return new TransportError(
      'PROTOCOL_VIOLATION',
      `The server "${server}" returned a malformed task: ${what}.`,
      { server, delivery: 'unknown' },
    );
  }
}

/** Returns whether a later attempt may succeed. */
function mayPass(error: unknown): boolean {
  // Errors of other transports do not say.
  return error instanceof FittingsError ? error.retryable : error instanceof Error;
}

/** Returns whether the server may still be at work and can be asked again later. */
function isUnreachable(error: unknown): boolean {
  return error instanceof FittingsError && (error.kind === 'auth' || error.details['unreachable'] === true);
}

/** Returns the failure of a request about a task as that of the call, which the server may have carried out. */
function asTaskFailure(server: string, cause: unknown): FittingsError {
  if (cause instanceof AuthRequiredError) {
    const { message, challenge, hint } = cause;
    return new AuthRequiredError(message, { server, challenge, hint, cause, delivery: 'unknown' });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  if (!(cause instanceof FittingsError)) {
    return new TransportError(
      'CONNECTION_LOST',
      `Could not ask the server "${server}" about a task: ${text}`,
      {
        server,
        cause,
        delivery: 'unknown',
        details: { unreachable: true },
      },
    );
  }
  const { code, kind, hint, details } = cause;
  const isAnswer = code === 'RPC_ERROR';
  return new TransportError(
    code,
    isAnswer ? text : `Could not ask the server "${server}" about a task: ${text}`,
    // Polling was tried again already.
    {
      server,
      cause,
      kind,
      hint,
      delivery: 'unknown',
      retryable: false,
      details: { ...details, unreachable: !isAnswer },
    },
  );
}
