import type { JSONRPCMessage, JSONRPCNotification, RequestId } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { isRequestId } from '@mcp-fittings/toolbox/messages';
import { TASK_META, type Task } from '@mcp-fittings/toolbox/tasks';
import type { Call } from './call.js';

/** A state of a task, and the call that it belongs to. */
export interface TaskUpdate extends Task {
  /** Name of the server. */
  readonly server: string;
  /** Name of the tool that was called. */
  readonly tool: string;
}

export interface TaskReportsDeps {
  readonly server: string;
  /** Delivers a message to the client. */
  readonly deliver: (message: JSONRPCMessage) => void;
  readonly onTask: ((task: TaskUpdate) => void) | undefined;
  /** Called with what {@link onTask} throws. */
  readonly onError: (error: unknown) => void;
}

/** Most progress tokens to remember. */
const MAX_TOKENS = 1024;

/** Tells the client how its tasks are doing. */
export class TaskReports {
  readonly #deps: TaskReportsDeps;
  /** Highest progress that was reported, by token. */
  readonly #highest = new RecentMap<RequestId, number>(MAX_TOKENS);

  constructor(deps: TaskReportsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a function that reports the states of one task: each as progress of its call, and those with a new status or message
   * as `notifications/tasks`.
   */
  ofTask(tool: string): (task: Task, call: Call) => void {
    const { server, deliver, onTask, onError } = this.#deps;
    let last: string | undefined;
    return (task, call) => {
      this.#reportProgress(task, call);
      const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
      const state = `${status} ${statusMessage ?? ''}`;
      if (state === last) return;
      last = state;
      const plain = {
        taskId,
        status,
        ttlMs,
        ...(statusMessage !== undefined && { statusMessage }),
        ...(createdAt !== undefined && { createdAt }),
        ...(lastUpdatedAt !== undefined && { lastUpdatedAt }),
        ...(pollIntervalMs !== undefined && { pollIntervalMs }),
      };
      try {
        onTask?.({ ...plain, server, tool });
      } catch (error) {
        onError(error);
      }
      const _meta = { [TASK_META]: { tool, ...(call.key !== undefined && { key: call.key }) } };
      deliver({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...plain, _meta } });
    };
  }

  /** Takes a notification of the server, because progress must increase. */
  seen({ method, params }: JSONRPCNotification): void {
    if (method !== 'notifications/progress') return;
    const { progressToken, progress } = params ?? {};
    if (isRequestId(progressToken) && typeof progress === 'number')
      this.#highest.set(progressToken, progress);
  }

  /** The call of this progress token is over. */
  forget(progressToken: unknown): void {
    if (isRequestId(progressToken)) this.#highest.delete(progressToken);
  }

  #reportProgress({ statusMessage }: Task, { progressToken }: Call): void {
    if (!isRequestId(progressToken)) return;
    const progress = (this.#highest.get(progressToken) ?? 0) + 1;
    this.#highest.set(progressToken, progress);
    const params = {
      progressToken,
      progress,
      ...(statusMessage !== undefined && { message: statusMessage }),
    };
    this.#deps.deliver({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }
}
