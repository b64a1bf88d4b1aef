import { FittingsError } from '@mcp-fittings/client-core';
import { canonicalJson } from '@mcp-fittings/client-core/text';
import type { Confirm, ModelTool } from '@mcp-fittings/tools';

/** Most approvals that wait for their calls. The oldest are forgotten, and their calls are refused. */
const MAX_APPROVALS = 1_000;

/** The calls that the user approved in `canUseTool` and that have not arrived yet. */
export interface ApprovedCalls {
  /** Remembers what the user approved. */
  add(toolUseId: string, tool: ModelTool, input: unknown): void;
  /** Returns and forgets the approval of this call, as the answer to the question of its tool. Undefined if there is none. */
  take(toolUseId: string, input: unknown): Confirm | undefined;
}

interface Approval {
  readonly name: string;
  readonly digest: string;
  readonly input: string;
}

/** Creates an empty memory. */
export function createApprovedCalls(): ApprovedCalls {
  const approvals = new Map<string, Approval>();
  return {
    add(toolUseId, { name, definition }, input) {
      approvals.delete(toolUseId);
      approvals.set(toolUseId, { name, digest: definition.digest, input: canonicalJson(input) });
      const [oldest] = approvals.keys();
      if (approvals.size > MAX_APPROVALS && oldest !== undefined) approvals.delete(oldest);
    },
    take(toolUseId, input) {
      const approval = approvals.get(toolUseId);
      approvals.delete(toolUseId);
      return approval && confirmedBy(approval, canonicalJson(input));
    },
  };
}

/** Answers for the user. An approval of another tool, another definition of it or other arguments does not count. */
function confirmedBy(approval: Approval, input: string): Confirm {
  return async ({ tool }) => {
    const isSame = approval.name === tool.name && approval.input === input;
    if (isSame && approval.digest === tool.definition.digest) return 'once';
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      isSame
        ? `The tool ${tool.name} changed while the question was open.`
        : `The user approved another call than this one of ${tool.name}.`,
      {
        server: tool.ref.server,
        delivery: 'not-sent',
        hint: 'Call the tool again. The user will be asked.',
      },
    );
  };
}
