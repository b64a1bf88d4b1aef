/**
 * State of a task; the last three are final.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Status"
 */
export type ToolTaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/** A task with which a server answered a tool call, see `@mcp-fittings/tasks`. */
export interface ToolTask {
  /** Name of the server in this host. */
  readonly server: string;
  /** `principal` of the call, if it named a person. */
  readonly principal?: string | undefined;
  /** Name of the tool that was called. */
  readonly tool: string;
  /** Id that the server gave the task. It may grant access to the task: do not log it. */
  readonly taskId: string;
  /** State of the task. */
  readonly status: ToolTaskStatus;
  /** What the server says about the state, for display. */
  readonly statusMessage?: string | undefined;
  /** How long the server keeps the task, in milliseconds from its creation; `null`: for ever. */
  readonly ttlMs: number | null;
}

/**
 * How a tool call deals with the task that the server may answer with. It needs `tasks()` of `@mcp-fittings/tasks` around the
 * transport plugin.
 */
export interface ToolTaskOptions {
  /** Called when the task is created, and when its status or its message has changed. Default: none. */
  readonly onUpdate?: ((task: ToolTask) => void) | undefined;
  /**
   * Id of a task of an earlier run, from a `TaskStore` for example. The tool is not called: the result is that of the task.
   * Rejects with `RPC_ERROR` if the transport is not wrapped by `tasks()`, or if its store does not let you resume the task.
   * Default: none, so that the tool is called.
   */
  readonly resume?: string | undefined;
}
