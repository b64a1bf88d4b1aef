import type { JSONRPCObject } from '@mcp-fittings/client-core';

/**
 * Method of a request that `withTasks()` answers itself: it polls a task of an earlier connection and returns the final result of
 * the call. A server that is reached without `withTasks()` does not know the method, so that nothing is carried out twice.
 */
export const RESUME_METHOD = 'com.mcp-fittings/tasks/resume';

/** Member of `_meta` of a call; its `key` is repeated in `_meta` of each `notifications/tasks` about the task of the call. */
export const TASK_META = 'com.mcp-fittings/task';

/** Returns whether a result says that a task was created, which only a result of `tools/call` may do. */
export function isTaskResult(result: JSONRPCObject): boolean {
  return result['resultType'] === 'task';
}
