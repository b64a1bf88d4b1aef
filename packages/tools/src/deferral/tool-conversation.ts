import { randomUUID } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/**
 * One conversation with a model: what it has loaded with `tool_search`, and whose large results it reads. Pass it to {@link Tools.snapshot} for every turn of the
 * conversation, and save it together with the messages.
 */
export interface ToolConversation {
  /** A random id. Large results that `spill` keeps in one conversation cannot be read in another. */
  readonly id: string;
  /** The loaded tools, in the order in which they were loaded. The order does not change. */
  readonly loaded: readonly {
    /** The name by which the model calls the tool. */
    readonly name: string;
    /** Name of the server in the host. */
    readonly server: string;
    /** Name that the server gives the tool. */
    readonly tool: string;
  }[];
  /**
   * Loads tools without a search, for example those that the user named. Tools that are loaded keep their place. If there are
   * more than `maxLoaded`, the oldest ones are unloaded until three quarters of it are left.
   */
  load(tools: Iterable<ToolConversation['loaded'][number]>): void;
  /**
   * Unloads all tools. With `defer.native`, call it when you remove the messages with the results of searches, because the
   * definitions of the tools were in them.
   */
  clear(): void;
  /** Returns the conversation as JSON, for {@link Tools.conversation}. */
  toJSON(): { version: 1; id: string; loaded: { name: string; server: string; tool: string }[] };
}

type LoadedTool = ToolConversation['loaded'][number];

/** Longer names cannot be offered, and are not restored. */
const text = z.string().max(1_024);
const loadedTool = z.object({ name: text, server: text, tool: text });
/** Returns the schema of a saved conversation. It does not look at tools that are not loaded again. */
const shape = (maxLoaded: number) =>
  z.object({
    version: z.literal(1),
    id: text.min(1).optional().catch(undefined),
    loaded: z
      .array(z.unknown())
      .transform((list) => list.slice(-maxLoaded))
      .pipe(z.array(loadedTool)),
  });

/** Creates a conversation, or restores one. Throws `CONFIG_INVALID` if `saved` is malformed. */
export function createToolConversation(maxLoaded: number, saved?: unknown): ToolConversation {
  const restored = saved === undefined ? undefined : shape(maxLoaded).safeParse(saved);
  if (restored?.success === false)
    throw new FittingsError('CONFIG_INVALID', 'The saved conversation of tools is malformed.', {
      hint: 'Start with a new one: tools.conversation(). The model will search again.',
    });
  const byKey = new Map<string, LoadedTool>();
  const conversation: ToolConversation = {
    id: restored?.data.id ?? randomUUID(),
    get loaded() {
      return [...byKey.values()];
    },
    load(tools) {
      const before = byKey.size;
      for (const { name, server, tool } of tools) {
        const key = JSON.stringify([server, tool, name]);
        if (!byKey.has(key)) byKey.set(key, { name, server, tool });
      }
      if (byKey.size <= maxLoaded) return;
      // In one go: each time that a tool leaves, the prompt cache is rebuilt. What was just loaded stays.
      const excess = Math.max(
        byKey.size - maxLoaded,
        Math.min(before, byKey.size - Math.floor(maxLoaded * 0.75)),
      );
      for (const key of [...byKey.keys()].slice(0, excess)) byKey.delete(key);
    },
    clear: () => byKey.clear(),
    toJSON: () => ({ version: 1, id: conversation.id, loaded: [...byKey.values()] }),
  };
  if (restored !== undefined) conversation.load(restored.data.loaded);
  return conversation;
}
