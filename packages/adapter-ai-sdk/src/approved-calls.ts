import { FittingsError } from '@mcp-fittings/client-core';
import type { Confirm } from '@mcp-fittings/tools';

/**
 * Returns whether the messages of an execution say that the user has approved this call: the last message answers the approval
 * request with its id. The AI SDK executes approved calls with the messages that approve them, and all other calls without, so
 * that an approval of an earlier call with the same id does not count.
 */
export function isApproved(messages: readonly unknown[], toolCallId: string): boolean {
  const approvalIds = new Set(
    messages.flatMap((message) =>
      partsOf(message, 'assistant')
        .filter((part) => part['type'] === 'tool-approval-request' && part['toolCallId'] === toolCallId)
        .map((part) => part['approvalId']),
    ),
  );
  return partsOf(messages.at(-1), 'tool').some(
    (part) =>
      part['type'] === 'tool-approval-response' &&
      part['approved'] === true &&
      approvalIds.has(part['approvalId']),
  );
}

/** The calls that ran because the user approved them: the same messages do not approve a second one. */
export class SpentApprovals {
  readonly #callIds = new Set<string>();

  has(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  add(callId: string): void {
    this.#callIds.add(callId);
    const [oldest] = this.#callIds;
    if (this.#callIds.size > MAX_SPENT && oldest !== undefined) this.#callIds.delete(oldest);
  }

  /** Forgets a call that the user is asked about again. */
  forget(callId: string): void {
    this.#callIds.delete(callId);
  }
}

/** Most approvals that are remembered as used. */
const MAX_SPENT = 10_000;

/** Answers for the user, who has answered the AI SDK. Without a question of this process, another one has asked. */
export function confirmedBySdk(consent: Confirm | undefined, approved: boolean, spend: () => void): Confirm {
  return async (request) => {
    if (approved) {
      spend();
      return consent?.(request) ?? 'once';
    }
    const { tool, verdict } = request;
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      `The tool ${tool.name} requires confirmation, but the messages have no approval of this call that was not used: ${verdict.reason}`,
      {
        server: tool.ref.server,
        delivery: 'not-sent',
        hint: 'Call the tool again. The user will be asked.',
      },
    );
  };
}

function partsOf(message: unknown, role: string): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(message) || message['role'] !== role) return [];
  const { content } = message;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
