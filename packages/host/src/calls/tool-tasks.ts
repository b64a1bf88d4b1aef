import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { readTaskState, RESUME_METHOD, TASK_META } from '@mcp-fittings/toolbox/tasks';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { CallToolOptions, HostEvents } from '../contracts/host.js';
import type { ToolTask } from '../contracts/tool-tasks.js';
import type { Emitter } from '../events.js';

/** Relates tasks, which a transport polls below the engine, to the calls that led to them. */
export class ToolTasks {
  readonly #watching = new Map<string, (task: ToolTask) => void>();

  constructor(emitter: Emitter<HostEvents>) {
    emitter.on('notification', ({ server, principal, method, params }) => {
      const meta = method === 'notifications/tasks' ? params._meta?.[TASK_META] : undefined;
      if (!isRecord(meta)) return;
      const state = readTaskState(params);
      if (typeof state === 'string') return;
      const { key, tool } = meta;
      const task = { ...state, server, principal, tool: typeof tool === 'string' ? tool : '' };
      emitter.emit('task', task);
      if (typeof key === 'string') this.#watching.get(key)?.(task);
    });
  }

  /** Returns one call of this tool that the server may answer with a task. Call `forget()` when it has settled. */
  open(tool: string, { onUpdate, resume, keep = false }: NonNullable<CallToolOptions['task']>): TaskCall {
    const key = crypto.randomUUID();
    const call = new TaskCall(key, tool, resume, keep, () => this.#watching.delete(key));
    this.#watching.set(key, (task) => {
      call.taskId = task.taskId;
      onUpdate?.(task);
    });
    return call;
  }
}

/** One tool call that the server may answer with a task. */
class TaskCall {
  /** Id of the task, which a second attempt resumes; `undefined` until the server has answered with one. */
  taskId: string | undefined;
  /** Stops noticing the task. */
  readonly forget: () => void;
  readonly #key: string;
  readonly #tool: string;
  readonly #keep: boolean;

  constructor(key: string, tool: string, resume: string | undefined, keep: boolean, forget: () => void) {
    this.#key = key;
    this.#tool = tool;
    this.#keep = keep;
    this.taskId = resume;
    this.forget = forget;
  }

  /** Calls the tool with `call`, or resumes its task. */
  send(
    session: EngineSession,
    params: JSONRPCObject,
    request: EngineRequestOptions,
    call: (params: JSONRPCObject, request: EngineRequestOptions) => Promise<JSONRPCObject>,
  ): Promise<JSONRPCObject> {
    const _meta = { ...params._meta, [TASK_META]: { key: this.#key, ...(this.#keep && { keep: true }) } };
    // Each poll is progress, which extends the deadline of the call.
    const options = { ...request, onProgress: request.onProgress ?? ignore };
    if (this.taskId === undefined) return call({ ...params, _meta }, options);
    return session.request(RESUME_METHOD, { taskId: this.taskId, tool: this.#tool, _meta }, options);
  }
}

const ignore = (): void => undefined;
