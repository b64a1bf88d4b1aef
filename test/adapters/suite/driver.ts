import type { Host } from '@mcp-fittings/host';
import type { ToolPolicy } from '@mcp-fittings/tools';

/** Runs agents of one framework, in one version, with the framework's own types and a scripted model. */
export interface AdapterDriver {
  /** Name and version of the framework. */
  readonly framework: string;
  /** What the framework does differently, as the README of the adapter says. */
  readonly differs: {
    /** What happens if the model calls a tool that does not exist. */
    readonly unknownTool: 'the model is told' | 'the run fails';
  };
  /** Makes an agent with all tools of the host. */
  open(host: Host, options: AgentOptions): Promise<AdapterAgent>;
}

/** Options of {@link AdapterDriver.open}. */
export interface AgentOptions {
  readonly policy: ToolPolicy;
  /** The user, who is asked in the way of the framework. `false`: declines. */
  readonly approve: (question: string) => Promise<boolean>;
  /** Maximum time of a call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** An agent of the framework. */
export interface AdapterAgent extends AsyncDisposable {
  /** Runs the agent. The model is offered tools, makes these calls at once, gets the results, and ends the run. */
  run(calls: readonly ScriptedCall[], options?: { readonly signal?: AbortSignal }): Promise<RunReport>;
}

/** A call that the model makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args?: unknown;
}

/** What happened in a run. */
export interface RunReport {
  /** The tools that the model was offered. */
  readonly offered: readonly OfferedTool[];
  /** What the model was sent for each call, in the order of the calls. */
  readonly results: readonly ModelResult[];
  /** What the program was told during the calls, such as `1/3` and `Step 1`. */
  readonly progress: readonly string[];
  /** What the program can read about each call that failed, in any order. */
  readonly failures: readonly Failure[];
  /** What the run rejected with, if it did. */
  readonly error?: unknown;
}

/** A tool in the request to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** A result in the request to the model. */
export interface ModelResult {
  readonly text: string;
  /** Data URLs of the images. */
  readonly images: readonly string[];
  /** Whether the framework marks it as failed. Undefined if it cannot. */
  readonly isError?: boolean | undefined;
}

/** What the program learns about a failed call. */
export interface Failure {
  readonly code: string;
  readonly delivery: string | undefined;
}
