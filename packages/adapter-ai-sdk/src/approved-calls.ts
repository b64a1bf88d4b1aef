/** Longest list of questions that are remembered. The oldest are forgotten. */
const MAX_QUESTIONS = 1_000;

/** What the tools were when the AI SDK asked the user, by the id of the call. */
export interface AskedTools {
  /** Remembers the digest of the tool that the user is asked about. */
  remember(toolCallId: string, digest: string): void;
  /** Returns and forgets the digest. Undefined if another process asked, or too long ago. */
  take(toolCallId: string): string | undefined;
}

/** Creates an empty memory. */
export function createAskedTools(): AskedTools {
  const digests = new Map<string, string>();
  return {
    remember(toolCallId, digest) {
      digests.delete(toolCallId);
      digests.set(toolCallId, digest);
      const [oldest] = digests.keys();
      if (digests.size > MAX_QUESTIONS && oldest !== undefined) digests.delete(oldest);
    },
    take(toolCallId) {
      const digest = digests.get(toolCallId);
      digests.delete(toolCallId);
      return digest;
    },
  };
}

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
