import { FittingsError } from '@mcp-fittings/client-core';
import { canonicalJson } from '@mcp-fittings/client-core/text';
import type { Confirm, ModelTool } from '@mcp-fittings/tools';

/** Most approvals that wait for their calls. The oldest are forgotten, and their calls are refused. */
const MAX_APPROVALS = 1_000;

/** The calls that the user approved in `canUseTool` and that have not arrived yet. */
export interface ApprovedCalls {
  /** Remembers what the user approved. */
  add(toolUseId: string, tool: ModelTool, input: unknown): void;
  /**
   * Returns and forgets the approval of this call, as the answer to the question of its tool. Undefined if the user was not asked.
   * @param digestOf Returns the digest that a tool has now. The model may have been shown an older definition.
   */
  take(
    toolUseId: string,
    input: unknown,
    digestOf: (tool: ModelTool) => string | undefined,
  ): Confirm | undefined;
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
    take(toolUseId, input, digestOf) {
      const approval = approvals.get(toolUseId);
      approvals.delete(toolUseId);
      const sent = canonicalJson(input);
      return (
        approval &&
        (async ({ tool }) => {
          checkApproval(approval, tool, { sent, digest: digestOf(tool) });
          return 'once';
        })
      );
    },
  };
}

/** Throws unless the user approved this tool, this definition of it and these arguments. */
function checkApproval(
  approval: Approval,
  { name, ref }: ModelTool,
  { sent, digest }: { readonly sent: string; readonly digest: string | undefined },
): void {
  const isSame = approval.name === name && approval.input === sent;
  if (isSame && approval.digest === digest) return;
  throw new FittingsError(
    'APPROVAL_REQUIRED',
    isSame
      ? `The tool ${name} changed while the question was open.`
      : `The user approved another call than this one of ${name}.`,
    { server: ref.server, delivery: 'not-sent', hint: 'Call the tool again. The user will be asked.' },
  );
}
