import { randomUUID } from 'node:crypto';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ToolResult } from '../contracts/content.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { HostEvents } from '../contracts/host.js';
import type { ToolTask, ToolTaskOptions, ToolTaskStatus } from '../contracts/tool-tasks.js';
import { readToolResult } from '../engine/read-results.js';
import type { Emitter } from '../events.js';

// What `tasks()` of `@mcp-fittings/tasks` reads and writes. Its tests with this host compare them.
const RESUME_METHOD = 'com.mcp-fittings/tasks/resume';
const TASK_META = 'com.mcp-fittings/task';

const STATUSES: ReadonlySet<string> = new Set<ToolTaskStatus>([
  'working',
  'input_required',
  'completed',
  'cancelled',
  'failed',
]);

/** One tool call that the server may answer with a task. */
export interface TaskCall extends Disposable {
  /** Whether the server has answered with a task, which a second attempt resumes. */
  readonly hasTask: boolean;
  /** Calls the tool with `call`, or resumes its task. */
  send(
    session: EngineSession,
    request: EngineRequestOptions,
    call: (request: EngineRequestOptions) => Promise<ToolResult>,
  ): Promise<ToolResult>;
}

/** Relates tasks, which a transport polls below the engine, to the calls that led to them. */
export interface ToolTasks {
  open(ref: { readonly server: string; readonly tool: string }, options: ToolTaskOptions): TaskCall;
}

export function createToolTasks(emitter: Emitter<HostEvents>): ToolTasks {
  const watching = new Map<string, (task: ToolTask) => void>();
  emitter.on('notification', ({ server, principal, method, params }) => {
    const meta = method === 'notifications/tasks' ? params._meta?.[TASK_META] : undefined;
    if (!isRecord(meta)) return;
    const state = readTask(server, meta['tool'], params);
    if (state === undefined) return;
    const task = { ...state, ...(principal !== undefined && { principal }) };
    emitter.emit('task', task);
    const { key } = meta;
    if (typeof key === 'string') watching.get(key)?.(task);
  });

  return {
    open({ server, tool }, { onUpdate, resume }) {
      const key = randomUUID();
      let taskId = resume;
      watching.set(key, (task) => {
        taskId = task.taskId;
        onUpdate?.(task);
      });
      return {
        get hasTask() {
          return taskId !== undefined;
        },
        async send(session, request, call) {
          const meta = { ...request.meta, [TASK_META]: { key } };
          // Each poll is progress, which extends the deadline of the call.
          const options = { ...request, meta, onProgress: request.onProgress ?? ignore };
          if (taskId === undefined) return call(options);
          return readToolResult(server, await session.request(RESUME_METHOD, { taskId, tool }, options));
        },
        [Symbol.dispose]: () => void watching.delete(key),
      };
    },
  };
}

const ignore = (): void => undefined;

function readTask(server: string, tool: unknown, params: JSONRPCObject): ToolTask | undefined {
  const { taskId, status, statusMessage, ttlMs } = params;
  if (typeof taskId !== 'string' || !isStatus(status)) return undefined;
  return {
    server,
    tool: typeof tool === 'string' ? tool : '',
    taskId,
    status,
    ttlMs: typeof ttlMs === 'number' ? ttlMs : null,
    ...(typeof statusMessage === 'string' && { statusMessage }),
  };
}

function isStatus(value: unknown): value is ToolTaskStatus {
  return typeof value === 'string' && STATUSES.has(value);
}
