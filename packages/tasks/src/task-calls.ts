import {
  type Clock,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
  type Transport,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { afterTurn, RecentMap } from '@mcp-fittings/toolbox/base-transport';
import {
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  isResultResponse,
  RPC_CODES,
} from '@mcp-fittings/toolbox/messages';
import { isTaskId, readTask, RESUME_METHOD, type Task } from '@mcp-fittings/toolbox/tasks';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import { Call, connectionEnded } from './call.js';
import { declaresTasks, declareTasks, isStateless, withoutMarker } from './declare.js';
import { InputRequests } from './input-requests.js';
import type { TaskLimits } from './limits.js';
import { OwnRequests } from './own-requests.js';
import { claimTask, RememberedTask } from './remembered-task.js';
import { TaskReports, type TaskUpdate } from './task-reports.js';
import { TaskRun } from './task-run.js';
import type { TaskRecord, TaskStore } from './task-store.js';

/** Handlers of the client, which sets them. */
export interface Client {
  onmessage: Transport['onmessage'] | undefined;
  onclose: Transport['onclose'] | undefined;
}

/** Options of {@link TaskCalls}. */
interface TaskCallsOptions {
  readonly server: string;
  readonly owner: string;
  readonly store: TaskStore | undefined;
  readonly onTask: ((task: TaskUpdate) => void) | undefined;
  readonly clock: Clock;
  readonly limits: TaskLimits;
}

const MAX_TOOL = 1024;
/** Most canceled calls for which a task that arrives later is canceled too. */
const MAX_CANCELED = 64;

/** The calls of one client over a transport: one that is answered with a task is polled, and gets the result of the task. */
export class TaskCalls {
  readonly #wire: Transport;
  readonly #client: Client;
  readonly #options: TaskCallsOptions;
  /** Requests of the client that a task may answer, by id. */
  readonly #calls = new Map<RequestId, Call>();
  /** Calls that the client has canceled before their response arrived, oldest first. */
  readonly #canceled = new RecentMap<RequestId, Call>(MAX_CANCELED);
  readonly #runs = new Set<TaskRun>();
  /** Calls that were answered with a task: a second task for the same call is ignored. */
  readonly #followed = new WeakSet<Call>();
  /** Ids of the tasks that are polled. */
  readonly #polled = new Set<string>();
  /** Tasks whose records are not all written yet. */
  readonly #writing = new Set<Promise<void>>();
  /** Aborted when the connection has ended. */
  readonly #ended = new AbortController();
  readonly #own: OwnRequests;
  readonly #inputs: InputRequests;
  readonly #reports: TaskReports;
  #initializeId: RequestId | undefined;
  /** True if a server of an earlier revision has declared the extension. */
  #isDeclared = false;
  #closing: Promise<void> | undefined;

  constructor(wire: Transport, client: Client, options: TaskCallsOptions) {
    const { server, onTask, clock, limits } = options;
    this.#wire = wire;
    this.#client = client;
    this.#options = options;
    this.#own = new OwnRequests({ wire, server, clock, requestMs: limits.requestMs });
    this.#inputs = new InputRequests({ server, clock, inputMs: limits.inputMs, deliver: this.#deliver });
    this.#reports = new TaskReports({ server, deliver: this.#deliver, onTask, onError: this.#reportError });
  }

  /** Sends what the client sends. Settles for a request with its response, however that arrives. */
  async send(message: JSONRPCMessage, sendOptions?: TransportSendOptions): Promise<void> {
    if (isResponse(message)) {
      return this.#inputs.takeResponse(message) ? undefined : this.#wire.send(message, sendOptions);
    }
    const { method, params } = message;
    if (!isRequest(message)) {
      const id = method === 'notifications/cancelled' ? params?.['requestId'] : undefined;
      // "The `notifications/cancelled` notification MUST NOT be used for task cancellation."
      return isRequestId(id) && this.#giveUp(id) ? undefined : this.#wire.send(message, sendOptions);
    }
    if (method === 'initialize') this.#initializeId = message.id;
    const declared = declareTasks(message, this.#isDeclared);
    const callOptions = { ...sendOptions, isStateless: isStateless(message) };
    const retried = this.#inputs.takeRetry(params, () => new Call(declared, callOptions, this.#deliver));
    if (retried !== undefined) return this.#open(retried, () => undefined);
    if (method !== 'tools/call' && method !== RESUME_METHOD) return this.#wire.send(declared, sendOptions);
    const call = new Call(declared, callOptions, this.#deliver);
    if (method === 'tools/call')
      return this.#open(call, () => this.#wire.send(withoutMarker(declared), sendOptions));
    const taskId = params?.['taskId'];
    if (isTaskId(taskId)) {
      return this.#open(call, () => {
        this.#track(this.#resume(call, taskId));
        return undefined;
      });
    }
    call.answer({
      error: { code: RPC_CODES.invalidParams, message: 'The "taskId" is missing or not valid.' },
    });
  }

  /** Takes a message of the server. */
  receive(message: JSONRPCMessage, extra: unknown): void {
    if (!isResponse(message)) {
      if (isNotification(message)) this.#reports.seen(message);
      return this.#client.onmessage?.(isRequest(message) ? message : withoutMarker(message), extra);
    }
    if (this.#own.take(message)) return;
    const response = this.#responseFor(message);
    if (response === undefined) return;
    this.#client.onmessage?.(response, extra);
    if (isRequestId(response.id)) this.#calls.get(response.id)?.settle();
  }

  /** The connection has ended: open calls are rejected, and the client is told. */
  disconnected(): void {
    const { closeReason } = this.#wire;
    const error = connectionEnded(this.#options.server, closeReason);
    // The order of the contract: if the connection was lost, open calls are rejected before the client is told.
    const isFirst = closeReason === undefined || closeReason.code === 'ABORTED' || this.#runs.size === 0;
    this.#ended.abort(error);
    if (isFirst) this.#client.onclose?.();
    for (const run of this.#runs) run.disconnected(error);
    this.#closing = new Promise((resolve) => {
      afterTurn(() => {
        // The transport itself has rejected them, unless it is one of an SDK.
        for (const call of this.#calls.values()) call.fail(error);
        if (!isFirst) this.#client.onclose?.();
        resolve();
      });
    });
  }

  /** Resolves when the client has been told that the connection has ended, and all records are written. */
  async ended(): Promise<void> {
    const { limits, clock } = this.#options;
    await this.#closing;
    // A store that hangs delays the end, not more.
    await settlesWithin(limits.requestMs, Promise.allSettled(this.#writing), clock);
  }

  async #resume(call: Call, taskId: string): Promise<void> {
    const refuse = (message: string): void =>
      call.answer({ error: { code: RPC_CODES.invalidParams, message } });
    if (this.#polled.has(taskId)) return refuse('The task is polled already.');
    this.#polled.add(taskId);
    try {
      const isWanted = (): boolean => this.#calls.get(call.id) === call;
      const { server, owner, clock } = this.#options;
      const claiming = {
        server,
        store: this.#storeOf(call),
        owner,
        clock,
        signal: this.#ended.signal,
        isWanted,
      };
      const record = (await claimTask(claiming, taskId)) ?? this.#newRecord(call, taskId, null);
      if (typeof record !== 'string') return await this.#follow(call, record, undefined);
      refuse(record);
    } catch (error) {
      call.fail(error);
    }
    this.#polled.delete(taskId);
  }

  /** Polls a task until the call has its result. Never rejects. */
  async #follow(call: Call, record: TaskRecord, seed: Task | undefined): Promise<void> {
    const { server, owner, clock, limits } = this.#options;
    const { taskId } = record;
    const remembered = new RememberedTask({
      store: this.#storeOf(call),
      owner,
      record,
      clock,
      onError: this.#reportError,
    });
    const report = this.#reports.ofTask(record.tool);
    const run = new TaskRun(
      {
        server,
        clock,
        limits,
        own: this.#own,
        inputs: this.#inputs,
        onStart: () => remembered.hold(),
        onPoll(task, waiting) {
          remembered.seen(task);
          report(task, waiting);
        },
        onAnswered: (keys) => remembered.answered(keys),
        onEnd: () => remembered.forget(),
      },
      { taskId, call, seed, answered: record.answered },
    );
    this.#polled.add(taskId);
    this.#runs.add(run);
    // The connection has ended, or the call was canceled, while the record was read.
    if (this.#ended.signal.aborted)
      run.disconnected(connectionEnded(this.#options.server, this.#wire.closeReason));
    else if (this.#calls.get(call.id) !== call) run.cancel();
    await run.run();
    this.#runs.delete(run);
    this.#polled.delete(taskId);
    await remembered.release();
  }

  /** Has `close()` wait until the records are written. */
  #track(work: Promise<void>): void {
    this.#writing.add(work);
    void work.finally(() => this.#writing.delete(work));
  }

  /** Settles as the contract wants of `send()` of a request: with its response, however that arrives. */
  async #open(call: Call, begin: () => Promise<void> | undefined): Promise<void> {
    const { id, requestSignal, progressToken } = call;
    const onAbort = (): void => void this.#giveUp(id);
    this.#calls.set(id, call);
    requestSignal?.addEventListener('abort', onAbort, { once: true });
    try {
      begin()?.catch((error: unknown) => call.fail(error));
      await call.done;
    } finally {
      requestSignal?.removeEventListener('abort', onAbort);
      if (this.#calls.get(id) === call) this.#calls.delete(id);
      this.#reports.forget(progressToken);
    }
  }

  /** The client no longer waits for a response. Returns whether a task was canceled for it. */
  #giveUp(id: RequestId): boolean {
    const call = this.#calls.get(id);
    if (call === undefined) return false;
    const run = [...this.#runs].find((each) => each.call === call);
    if (run !== undefined) run.cancel();
    else if (!call.isResumed) this.#canceled.set(id, call);
    this.#calls.delete(id);
    call.settle();
    return run !== undefined || call.isResumed;
  }

  /** Returns the response for the client; `undefined` if that arrives later or is not wanted any more. */
  #responseFor(response: JSONRPCResponse): JSONRPCResponse | undefined {
    if (!isResultResponse(response)) return response;
    const { id, result } = response;
    if (id === this.#initializeId) this.#isDeclared = declaresTasks(result);
    if (result['resultType'] !== 'task') return response;
    const call = this.#calls.get(id);
    const late = this.#canceled.get(id);
    const task = readTask(result);
    if (typeof task !== 'string' && call !== undefined) {
      if (this.#followed.has(call)) return undefined;
      if (!this.#polled.has(task.taskId)) {
        this.#followed.add(call);
        this.#track(this.#follow(call, this.#newRecord(call, task.taskId, task.ttlMs), task));
        return undefined;
      }
    }
    if (typeof task !== 'string' && late !== undefined) {
      this.#canceled.delete(id);
      const { headers, meta } = late;
      const cancel = { taskId: task.taskId, ...(meta !== undefined && { _meta: meta }) };
      this.#own.send('tasks/cancel', cancel, { headers, signal: undefined }).catch(() => undefined);
      return undefined;
    }
    // "A client that receives `CreateTaskResult` in response to an unsupported request type MUST interpret this as an invalid response".
    const isDoubled = typeof task !== 'string' && call !== undefined;
    const other = isDoubled ? 'its "taskId" is that of another call' : 'only tools/call may create one';
    const why = typeof task === 'string' ? task : other;
    const text = `The server "${this.#options.server}" answered with an invalid task: ${why}.`;
    if (call === undefined)
      return { jsonrpc: '2.0', id, error: { code: RPC_CODES.invalidRequest, message: text } };
    call.fail(
      new TransportError('PROTOCOL_VIOLATION', text, { server: this.#options.server, delivery: 'unknown' }),
    );
    return undefined;
  }

  #newRecord(call: Call, taskId: string, ttlMs: number | null): TaskRecord {
    const since = this.#options.clock.now();
    return { taskId, tool: call.tool.slice(0, MAX_TOOL), since, ttlMs, answered: [] };
  }

  /** Returns where the task of a call is remembered. One that is kept is polled by its program, which knows its id. */
  #storeOf({ keepsTask }: Call): TaskStore | undefined {
    return keepsTask ? undefined : this.#options.store;
  }

  readonly #reportError = (error: unknown): void =>
    this.#wire.onerror?.(error instanceof Error ? error : new Error(String(error)));

  /** Delivers a message that does not come from the transport, which would catch what the client throws. */
  readonly #deliver = (message: JSONRPCMessage): void => {
    try {
      this.#client.onmessage?.(message);
    } catch (error) {
      this.#reportError(error);
    }
  };
}
