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

function partsOf(message: unknown, role: string): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(message) || message['role'] !== role) return [];
  const { content } = message;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
