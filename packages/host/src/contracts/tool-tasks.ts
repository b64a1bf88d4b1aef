import type { Task } from '@mcp-fittings/toolbox/tasks';

/** A task with which a server answered a tool call, see `@mcp-fittings/tasks`. */
export interface ToolTask extends Task {
  /** Name of the server in this host. */
  readonly server: string;
  /** `principal` of the call, if it named one. */
  readonly principal?: string | undefined;
  /** Name of the tool that was called. */
  readonly tool: string;
}
