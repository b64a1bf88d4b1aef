import { FittingsError } from '@mcp-fittings/client-core';
import {
  renderError,
  type AskedCalls,
  type LastToolEvent,
  type ModelTool,
  type Toolset,
} from '@mcp-fittings/tools';

/** Options that the SDK passes to `canUseTool`, as far as the adapter reads them. */
export interface ClaudeAgentPermissionOptions {
  /** Aborted when the question is withdrawn. */
  readonly signal: AbortSignal;
  /** Id that the model gave the call. */
  readonly toolUseID: string;
  /** Reason for the question. The adapter passes on that of the policy. */
  decisionReason?: string;
  /** Source of the tool. Older versions of the SDK do not say so. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
}

/** An answer to `canUseTool`. */
export type ClaudeAgentPermissionResult =
  | {
      /** The call may run. */
      behavior: 'allow';
      /** The arguments that are sent, as the user may have changed them. */
      updatedInput?: Record<string, unknown>;
    }
  | {
      /** The call must not run. */
      behavior: 'deny';
      /** The reason, for the model. */
      message: string;
    };

/** `CanUseTool` of the SDK. */
export type ClaudeAgentCanUseTool<
  Options extends ClaudeAgentPermissionOptions = ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null = ClaudeAgentPermissionResult,
> = (toolName: string, input: Record<string, unknown>, options: Options) => Promise<Result>;

/** Parts that `canUseTool` of the adapter uses. */
export interface PermissionDeps<
  Options extends ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null,
> {
  /** Returns the tool with this name of the SDK, as the host has it now. */
  readonly find: (toolName: string) => { readonly tool: ModelTool; readonly toolset: Toolset } | undefined;
  readonly asked: AskedCalls;
  /** `canUseTool` of the program, which asks the user. */
  readonly ask: ClaudeAgentCanUseTool<Options, Result> | undefined;
  readonly onDenied: (event: LastToolEvent, tool: ModelTool, toolUseId: string, toolName: string) => void;
}

/** Creates the `canUseTool` that decides about the tools of the host by its policy, and asks the program about all others. */
export function createCanUseTool<
  Options extends ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null,
>(
  deps: PermissionDeps<Options, Result>,
): ClaudeAgentCanUseTool<Options, Result | ClaudeAgentPermissionResult> {
  const { find, asked, ask, onDenied } = deps;
  return async (toolName, input, options) => {
    const isFromSdk = (options.mcpServer?.source ?? 'sdk') === 'sdk';
    const found = isFromSdk ? find(toolName) : undefined;
    if (found === undefined)
      return ask === undefined
        ? { behavior: 'deny', message: `This program does not permit ${toolName}.` }
        : ask(toolName, input, options);

    const { tool, toolset } = found;
    const verdict = toolset.verdict(tool.name);
    if (verdict?.decision === 'deny') {
      const error = new FittingsError(
        'POLICY_DENIED',
        `The policy denies the call of ${tool.name}: ${verdict.reason}`,
        { server: tool.ref.server, delivery: 'not-sent' },
      );
      const rendering = renderError(error);
      onDenied({ type: 'error', error, rendering }, tool, options.toolUseID, toolName);
      return { behavior: 'deny', message: rendering.text };
    }
    // Without `ask`, `confirm` of the tools asks while the call waits.
    if (verdict?.decision !== 'ask' || ask === undefined) return { behavior: 'allow', updatedInput: input };

    const answer = await ask(toolName, input, { ...options, decisionReason: verdict.reason });
    if (answer?.behavior !== 'allow') return answer;
    const updatedInput = answer.updatedInput ?? input;
    asked.remember(options.toolUseID, tool, updatedInput);
    return { ...answer, updatedInput };
  };
}
