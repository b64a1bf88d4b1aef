/**
 * The Tasks extension of MCP (SEP-2663) for any client: below the client, a task is polled until its result is known.
 *
 * @packageDocumentation
 */
export { withTasks, type WithTasksOptions } from './with-tasks.js';
export { tasks, type TasksOptions } from './plugin.js';
export { taskOwner, taskStore, type TaskRecord, type TaskStore } from './task-store.js';
export type { TaskLimits } from './limits.js';
export type { TaskUpdate } from './task-reports.js';
export { RESUME_METHOD, TASKS_EXTENSION, type Task } from '@mcp-fittings/toolbox/tasks';
