import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/** What persons allowed for good, as plain JSON: keep it where a project's files can not write. */
export type SerializedApprovals = {
  version: 1;
  /** Servers all of whose tools may run. */
  servers: string[];
  /** Single tools, each as it was described when it was approved. */
  tools: { server: string; tool: string; digest: string }[];
};

/** The allow list of one host. Nothing is shared between two of them, and nothing is saved by itself. */
export interface Approvals {
  hasServer(server: string): boolean;
  /** False when the tool has changed since it was approved. */
  hasTool(tool: ApprovedTool): boolean;
  addServer(server: string): void;
  addTool(tool: ApprovedTool): void;
  /** Forgets a server and all its tools. */
  removeServer(server: string): void;
  toJSON(): SerializedApprovals;
}

export interface ApprovedTool {
  readonly server: string;
  readonly tool: string;
  /** Of everything that the server says about the tool. */
  readonly digest: string;
}

const shape = z.object({
  version: z.literal(1),
  servers: z.array(z.string()),
  tools: z.array(z.object({ server: z.string(), tool: z.string(), digest: z.string() })),
});

/** Throws `CONFIG_INVALID` when what was kept is not what `toJSON` gave. */
export function createApprovals(kept?: unknown): Approvals {
  const initial = kept === undefined ? undefined : shape.safeParse(kept);
  if (initial?.success === false) {
    throw new FittingsError('CONFIG_INVALID', 'The list of approvals is malformed.', {
      cause: initial.error,
      hint: 'Delete it, and the questions will be asked again.',
    });
  }
  const servers = new Set(initial?.data.servers);
  const tools = new Map(initial?.data.tools.map((tool) => [keyOf(tool), tool]));

  return {
    hasServer: (server) => servers.has(server),
    hasTool: (tool) => tools.get(keyOf(tool))?.digest === tool.digest,
    addServer: (server) => void servers.add(server),
    addTool: ({ server, tool, digest }) => void tools.set(keyOf({ server, tool }), { server, tool, digest }),
    removeServer(server) {
      servers.delete(server);
      for (const [key, tool] of tools) if (tool.server === server) tools.delete(key);
    },
    toJSON: () => ({ version: 1, servers: [...servers], tools: [...tools.values()] }),
  };
}

const keyOf = ({ server, tool }: { readonly server: string; readonly tool: string }): string =>
  JSON.stringify([server, tool]);
