import {
  type Clock,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
  type Transport,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { afterTurn } from '@mcp-fittings/toolbox/base-transport';
import {
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  isResultResponse,
  RPC_CODES,
} from '@mcp-fittings/toolbox/messages';
import { settlesWithin, systemClock } from '@mcp-fittings/toolbox/timing';
import { isTaskId, readTask, type Task } from '@mcp-fittings/toolbox/tasks';
import { Call, connectionEnded } from './call.js';
import { declaresTasks, declareTasks, isStateless, withoutMarker } from './declare.js';
import { delegate } from './delegate.js';
import { InputRequests } from './input-requests.js';
import { DEFAULT_LIMITS, type TaskLimits } from './limits.js';
import { OwnRequests } from './own-requests.js';
import { isTaskResult, RESUME_METHOD } from './protocol.js';
import { claimTask, RememberedTask } from './remembered-task.js';
import { TaskReports, type TaskUpdate } from './task-reports.js';
import { TaskRun } from './task-run.js';
import { taskOwner, type TaskRecord, type TaskStore } from './task-store.js';

/** Options of {@link withTasks}. */
export interface WithTasksOptions {
  /** Name of the server, for error messages. Default `'server'`. */
  readonly server?: string | undefined;
  /** Remembers open tasks, so that they can be resumed after a restart. Default none. */
  readonly store?: TaskStore | undefined;
  /** Whose tasks they are in the store. Default: `taskOwner(server)`; use `taskOwner(server, principal)` if there are several principals. */
  readonly owner?: string | undefined;
  /** Called when a task was created, and when its status or its message has changed. It must not throw. Default none. */
  readonly onTask?: ((task: TaskUpdate) => void) | undefined;
  /** Bounds on what the server can make the client do. */
  readonly limits?: Partial<TaskLimits> | undefined;
  /** Clock for all delays and deadlines. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Adds the Tasks extension to a transport, below the client that uses it. When the server answers `tools/call` with a task, the
 * task is polled under request ids of its own, and the client receives the final result as the response to its call. Input
 * requests of the task go to the handlers of the client. Cancelling the call cancels the task.
 *
 * While a task is polled, the client receives `notifications/tasks`, and `notifications/progress` if it asked for progress.
 * Set `resetTimeoutOnProgress`, or a long `timeout`, for calls that take longer than a minute.
 *
 * The call rejects with `TASK_ENDED` if the server canceled the task or lost it, `PROTOCOL_VIOLATION` for a malformed task, and
 * with the code of the failure if the server cannot be reached; `delivery` is `unknown` then, because the server has accepted the
 * call.
 * @param transport - those of this project and of both official SDKs have the members that it needs
 * @returns an object with every member of the transport; use it in place of the transport
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md
 * @example
 * const transport = withTasks(createHttpTransport({ url }), { onTask: ({ status }) => console.log(status) });
 * await client.connect(transport);
 * const result = await client.callTool({ name: 'render' }, { timeout: 3_600_000 });
 */
export function withTasks<T extends Pick<Transport, 'start' | 'send' | 'close'>>(
  transport: T,
  options: WithTasksOptions = {},
): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other members of the contract are optional here
  const wire = transport as Pick<Transport, 'start' | 'send' | 'close'> as Transport;
  const { server = 'server', owner = taskOwner(server), store, onTask, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  /** Requests of the client that a task may answer, by id. */
  const calls = new Map<RequestId, Call>();
  /** Calls that the client has canceled before their response arrived, oldest first. */
  const canceled = new Map<RequestId, Call>();
  const runs = new Set<TaskRun>();
  /** Calls that were answered with a task: a second task for the same call is ignored. */
  const followed = new WeakSet<Call>();
  /** Ids of the tasks that are polled. */
  const polled = new Set<string>();
  /** Tasks whose records are not all written yet. */
  const writing = new Set<Promise<void>>();
  /** Aborted when the connection has ended. */
  const ended = new AbortController();
  let initializeId: RequestId | undefined;
  /** True if a server of an earlier revision has declared the extension. */
  let isDeclared = false;

  const reportError = (error: unknown): void =>
    wire.onerror?.(error instanceof Error ? error : new Error(String(error)));
  /** Delivers a message that does not come from the transport, which would catch what the client throws. */
  const deliver = (message: JSONRPCMessage): void => {
    try {
      outer.onmessage?.(message);
    } catch (error) {
      reportError(error);
    }
  };
  const own = new OwnRequests({ wire, server, clock, requestMs: limits.requestMs });
  const inputs = new InputRequests({ server, clock, inputMs: limits.inputMs, deliver });
  const reports = new TaskReports({ server, deliver, onTask, onError: reportError });

  const newRecord = (call: Call, taskId: string, ttlMs: number | null): TaskRecord => ({
    taskId,
    tool: call.tool.slice(0, MAX_TOOL),
    since: clock.now(),
    ttlMs,
    answered: [],
  });

  /** Returns where the task of a call is remembered. One that is kept is polled by its program, which knows its id. */
  const storeOf = ({ keepsTask }: Call): TaskStore | undefined => (keepsTask ? undefined : store);

  const resume = async (call: Call, taskId: string): Promise<void> => {
    const refuse = (message: string): void =>
      call.answer({ error: { code: RPC_CODES.invalidParams, message } });
    if (polled.has(taskId)) return refuse('The task is polled already.');
    polled.add(taskId);
    try {
      const isWanted = (): boolean => calls.get(call.id) === call;
      const claiming = { server, store: storeOf(call), owner, clock, signal: ended.signal, isWanted };
      const record = (await claimTask(claiming, taskId)) ?? newRecord(call, taskId, null);
      if (typeof record !== 'string') return await follow(call, record, undefined);
      refuse(record);
    } catch (error) {
      call.fail(error);
    }
    polled.delete(taskId);
  };

  /** Polls a task until the call has its result. Never rejects. */
  const follow = async (call: Call, record: TaskRecord, seed: Task | undefined): Promise<void> => {
    const { taskId } = record;
    const remembered = new RememberedTask({
      store: storeOf(call),
      owner,
      record,
      clock,
      onError: reportError,
    });
    const report = reports.ofTask(record.tool);
    const run = new TaskRun(
      {
        server,
        clock,
        limits,
        own,
        inputs,
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
    polled.add(taskId);
    runs.add(run);
    // The connection has ended, or the call was canceled, while the record was read.
    if (ended.signal.aborted) run.disconnected(connectionEnded(server, wire.closeReason));
    else if (calls.get(call.id) !== call) run.cancel();
    await run.run();
    runs.delete(run);
    polled.delete(taskId);
    await remembered.release();
  };

  /** Has `close()` wait until the records are written. */
  const track = (work: Promise<void>): void => {
    writing.add(work);
    void work.finally(() => writing.delete(work));
  };

  /** Settles as the contract wants of `send()` of a request: with its response, however that arrives. */
  const open = async (call: Call, begin: () => Promise<void> | undefined): Promise<void> => {
    const { id, requestSignal, progressToken } = call;
    const onAbort = (): void => void giveUp(id);
    calls.set(id, call);
    requestSignal?.addEventListener('abort', onAbort, { once: true });
    try {
      begin()?.catch((error: unknown) => call.fail(error));
      await call.done;
    } finally {
      requestSignal?.removeEventListener('abort', onAbort);
      if (calls.get(id) === call) calls.delete(id);
      reports.forget(progressToken);
    }
  };

  /** The client no longer waits for a response. Returns whether a task was canceled for it. */
  const giveUp = (id: RequestId): boolean => {
    const call = calls.get(id);
    if (call === undefined) return false;
    const run = [...runs].find((each) => each.call === call);
    if (run !== undefined) run.cancel();
    else if (!call.isResumed) {
      canceled.set(id, call);
      const [oldest] = canceled.keys();
      if (canceled.size > MAX_CANCELED && oldest !== undefined) canceled.delete(oldest);
    }
    calls.delete(id);
    call.settle();
    return run !== undefined || call.isResumed;
  };

  const send = async (message: JSONRPCMessage, sendOptions?: TransportSendOptions): Promise<void> => {
    if (isResponse(message)) {
      return inputs.takeResponse(message) ? undefined : wire.send(message, sendOptions);
    }
    const { method, params } = message;
    if (!isRequest(message)) {
      const id = method === 'notifications/cancelled' ? params?.['requestId'] : undefined;
      // "The `notifications/cancelled` notification MUST NOT be used for task cancellation."
      return isRequestId(id) && giveUp(id) ? undefined : wire.send(message, sendOptions);
    }
    if (method === 'initialize') initializeId = message.id;
    const declared = declareTasks(message, isDeclared);
    const callOptions = { ...sendOptions, isStateless: isStateless(message) };
    const retried = inputs.takeRetry(params, () => new Call(declared, callOptions, deliver));
    if (retried !== undefined) return open(retried, () => undefined);
    if (method !== 'tools/call' && method !== RESUME_METHOD) return wire.send(declared, sendOptions);
    const call = new Call(declared, callOptions, deliver);
    if (method === 'tools/call') return open(call, () => wire.send(withoutMarker(declared), sendOptions));
    const taskId = params?.['taskId'];
    if (isTaskId(taskId)) {
      return open(call, () => {
        track(resume(call, taskId));
        return undefined;
      });
    }
    call.answer({
      error: { code: RPC_CODES.invalidParams, message: 'The "taskId" is missing or not valid.' },
    });
  };

  const receive = (message: JSONRPCMessage, extra: unknown): void => {
    if (!isResponse(message)) {
      if (isNotification(message)) reports.seen(message);
      return outer.onmessage?.(isRequest(message) ? message : withoutMarker(message), extra);
    }
    if (own.take(message)) return;
    const response = responseFor(message);
    if (response === undefined) return;
    outer.onmessage?.(response, extra);
    if (isRequestId(response.id)) calls.get(response.id)?.settle();
  };

  /** Returns the response for the client; `undefined` if that arrives later or is not wanted any more. */
  const responseFor = (response: JSONRPCResponse): JSONRPCResponse | undefined => {
    if (!isResultResponse(response)) return response;
    const { id, result } = response;
    if (id === initializeId) isDeclared = declaresTasks(result);
    if (!isTaskResult(result)) return response;
    const call = calls.get(id);
    const late = canceled.get(id);
    const task = readTask(result);
    if (typeof task !== 'string' && call !== undefined) {
      if (followed.has(call)) return undefined;
      if (!polled.has(task.taskId)) {
        followed.add(call);
        track(follow(call, newRecord(call, task.taskId, task.ttlMs), task));
        return undefined;
      }
    }
    if (typeof task !== 'string' && late !== undefined) {
      canceled.delete(id);
      const { headers, meta } = late;
      const cancel = { taskId: task.taskId, ...(meta !== undefined && { _meta: meta }) };
      own.send('tasks/cancel', cancel, { headers, signal: undefined }).catch(() => undefined);
      return undefined;
    }
    // "A client that receives `CreateTaskResult` in response to an unsupported request type MUST interpret this as an invalid response".
    const isDoubled = typeof task !== 'string' && call !== undefined;
    const other = isDoubled ? 'its "taskId" is that of another call' : 'only tools/call may create one';
    const why = typeof task === 'string' ? task : other;
    const text = `The server "${server}" answered with an invalid task: ${why}.`;
    if (call === undefined)
      return { jsonrpc: '2.0', id, error: { code: RPC_CODES.invalidRequest, message: text } };
    call.fail(new TransportError('PROTOCOL_VIOLATION', text, { server, delivery: 'unknown' }));
    return undefined;
  };

  let closing: Promise<void> | undefined;
  const closed = (): void => {
    const { closeReason } = wire;
    const error = connectionEnded(server, closeReason);
    // The order of the contract: if the connection was lost, open calls are rejected before the client is told.
    const isFirst = closeReason === undefined || closeReason.code === 'ABORTED' || runs.size === 0;
    ended.abort(error);
    if (isFirst) outer.onclose?.();
    for (const run of runs) run.disconnected(error);
    closing = new Promise((resolve) => {
      afterTurn(() => {
        // The transport itself has rejected them, unless it is one of an SDK.
        for (const call of calls.values()) call.fail(error);
        if (!isFirst) outer.onclose?.();
        resolve();
      });
    });
  };

  /** The handlers of the client that uses the connection. */
  let kept: Pick<Replaced, 'onmessage' | 'onclose'> | undefined;
  const keep = (): void => {
    kept = { onmessage: outer.onmessage, onclose: outer.onclose };
  };

  wire.onmessage = (message, extra) => {
    keep();
    receive(message, extra);
  };
  wire.onclose = closed;
  const replaced: Replaced = {
    async start() {
      try {
        await wire.start();
      } catch (error) {
        // A second client, whose start() rejects, has replaced the handlers by then.
        if (kept !== undefined) Object.assign(outer, kept);
        throw error;
      }
      keep();
    },
    send,
    async close() {
      await wire.close();
      await closing;
      // A store that hangs delays the end, not more.
      await settlesWithin(limits.requestMs, Promise.allSettled(writing), clock);
    },
    onmessage: undefined,
    onclose: undefined,
    observe: undefined,
  };
  const outer = delegate(wire, replaced);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has every member of the transport
  return outer as unknown as T;
}

interface Replaced extends Pick<Transport, 'start' | 'send' | 'close'> {
  onmessage: Transport['onmessage'] | undefined;
  onclose: Transport['onclose'] | undefined;
  /** An observer is to see calls, and not how their tasks are polled. */
  readonly observe: undefined;
}

const MAX_TOOL = 1024;
/** Most canceled calls for which a task that arrives later is canceled too. */
const MAX_CANCELED = 64;
