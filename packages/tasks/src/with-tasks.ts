import type { Clock, Transport } from '@mcp-fittings/client-core';
import { overlay } from '@mcp-fittings/toolbox/base-transport';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { DEFAULT_LIMITS, type TaskLimits } from './limits.js';
import { type Client, TaskCalls } from './task-calls.js';
import type { TaskUpdate } from './task-reports.js';
import { taskOwner, type TaskStore } from './task-store.js';

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
  /** The handlers of the client that uses the connection. */
  let kept: Pick<Replaced, 'onmessage' | 'onclose'> | undefined;
  const keep = (): void => {
    kept = { onmessage: outer.onmessage, onclose: outer.onclose };
  };
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
    send: (message, sendOptions) => calls.send(message, sendOptions),
    async close() {
      await wire.close();
      await calls.ended();
    },
    onmessage: undefined,
    onclose: undefined,
    observe: undefined,
  };
  const outer = overlay(transport, replaced);
  const calls = new TaskCalls(wire, outer, { server, owner, store, onTask, clock, limits });
  wire.onmessage = (message, extra) => {
    keep();
    calls.receive(message, extra);
  };
  wire.onclose = () => calls.disconnected();
  return outer;
}

interface Replaced extends Pick<Transport, 'start' | 'send' | 'close'>, Client {
  /** An observer is to see calls, and not how their tasks are polled. */
  readonly observe: undefined;
}
