/** Longest list of questions that are remembered. The oldest are forgotten. */
const MAX_QUESTIONS = 1_000;

/** What the tools were when Mastra asked the user, by the id of the call. */
export interface AskedTools {
  /** Remembers the digest of the tool that the user is asked about. The first one counts: Mastra announces an approved call again. */
  remember(toolCallId: string, digest: string): void;
  /** Returns and forgets the digest. Undefined if no agent asked about the call, or too long ago. */
  take(toolCallId: string): string | undefined;
}

/** Creates an empty memory. */
export function createAskedTools(): AskedTools {
  const digests = new Map<string, string>();
  return {
    remember(toolCallId, digest) {
      if (digests.has(toolCallId)) return;
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
