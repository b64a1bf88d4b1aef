/** A task with which a server answered a tool call, see `@mcp-fittings/tasks`. */
export interface ToolTask {
  /** Name of the server in this host. */
  readonly server: string;
  /** `principal` of the call, if it named one. */
  readonly principal?: string | undefined;
  /** Name of the tool that was called. */
  readonly tool: string;
  /** Id that the server gave the task. It may grant access to the task: do not log it. */
  readonly taskId: string;
  /**
   * State of the task; the last three are final.
   * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Status"
   */
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';
  /** Text of the server about the state, for display. */
  readonly statusMessage?: string | undefined;
  /** Time when the task was created, as the server writes it. */
  readonly createdAt?: string | undefined;
  /** Time when the task was last updated, as {@link createdAt}. */
  readonly lastUpdatedAt?: string | undefined;
  /** Milliseconds that the server asks to wait between two polls. */
  readonly pollIntervalMs?: number | undefined;
  /** Milliseconds from its creation for which the server keeps the task; `null`: for ever. */
  readonly ttlMs: number | null;
}
