import type { JSONRPCMessage, JSONRPCNotification, RequestId } from '@mcp-fittings/client-core';
import { isRequestId } from '@mcp-fittings/toolbox/messages';
import type { Call } from './call.js';
import { TASK_META, type Task } from './protocol.js';

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

/** Tells the client how its tasks are doing. */
export interface TaskReports {
  /**
   * Returns a function that reports the states of one task: each as progress of its call, and those with a new status or message
   * as `notifications/tasks`.
   */
  ofTask(tool: string): (task: Task, call: Call) => void;
  /** Takes a notification of the server, because progress must increase. */
  seen(notification: JSONRPCNotification): void;
  /** The call of this progress token is over. */
  forget(progressToken: unknown): void;
}

/** Most progress tokens to remember. */
const MAX_TOKENS = 1024;

export function createTaskReports({ server, deliver, onTask, onError }: TaskReportsDeps): TaskReports {
  /** Highest progress that was reported, by token. */
  const highest = new Map<RequestId, number>();
  const note = (token: RequestId, progress: number): void => {
    highest.delete(token);
    highest.set(token, progress);
    const [oldest] = highest.keys();
    if (highest.size > MAX_TOKENS && oldest !== undefined) highest.delete(oldest);
  };

  const reportProgress = ({ statusMessage }: Task, { progressToken }: Call): void => {
    if (!isRequestId(progressToken)) return;
    const progress = (highest.get(progressToken) ?? 0) + 1;
    note(progressToken, progress);
    const params = {
      progressToken,
      progress,
      ...(statusMessage !== undefined && { message: statusMessage }),
    };
    deliver({ jsonrpc: '2.0', method: 'notifications/progress', params });
  };

  return {
    ofTask(tool) {
      let last: string | undefined;
      return (task, call) => {
        reportProgress(task, call);
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
    },
    seen({ method, params }) {
      if (method !== 'notifications/progress') return;
      const { progressToken, progress } = params ?? {};
      if (isRequestId(progressToken) && typeof progress === 'number') note(progressToken, progress);
    },
    forget: (progressToken) => isRequestId(progressToken) && void highest.delete(progressToken),
  };
}
