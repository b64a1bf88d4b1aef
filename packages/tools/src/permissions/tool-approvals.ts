import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/** What persons allowed for good, as plain JSON: keep it where a project's files cannot write. */
export type SerializedToolApprovals = {
  version: 2;
  /** Servers whose tools may all run, each tool as it was described when the server was approved. */
  servers: { server: string; tools: { tool: string; digest: string }[] }[];
  /** Single tools, each as it was described when it was approved. */
  tools: { server: string; tool: string; digest: string }[];
};

/**
 * The allow list of one host. Nothing is shared between two of them, and nothing is saved by itself. `server` is always
 * the identity of a server (a digest of its entry), never its name.
 */
export interface ToolApprovals {
  /** What persons said about this tool, as it is now. */
  forTool(tool: ApprovedTool): ToolApprovalStatus;
  /** Allows the tools that the server has now; one that is added or changed later is not allowed. */
  addServer(server: string, tools: readonly Omit<ApprovedTool, 'server'>[]): void;
  /** Allows this tool as it is described now. */
  addTool(tool: ApprovedTool): void;
  /** Forgets a server and all its tools. */
  removeServer(server: string): void;
  toJSON(): SerializedToolApprovals;
}

/**
 * `tool`: this tool was approved and has not changed. `server`: so was its server. `changed`: it is not what was
 * approved. `added`: its server was approved before it had this tool. `none`: nobody was asked.
 */
export type ToolApprovalStatus = 'tool' | 'server' | 'changed' | 'added' | 'none';

/** What an approval is about. */
export interface ApprovedTool {
  /** Identity of the server. */
  readonly server: string;
  /** As its server names it. */
  readonly tool: string;
  /** Of everything that the server says about the tool. */
  readonly digest: string;
}

const pinned = z.object({ tool: z.string(), digest: z.string() });
const single = pinned.extend({ server: z.string() });
const shape = z.discriminatedUnion('version', [
  z.object({
    version: z.literal(2),
    servers: z.array(z.object({ server: z.string(), tools: z.array(pinned) })),
    tools: z.array(single),
  }),
  // Servers were approved without their tools: with none pinned, each tool asks again.
  z.object({
    version: z.literal(1),
    servers: z.array(z.string().transform((server) => ({ server, tools: [] }))),
    tools: z.array(single),
  }),
]);

/** Throws `CONFIG_INVALID` when what was kept is not what `toJSON` gave. Lists of version 1 are read too. */
export function createToolApprovals(kept?: unknown): ToolApprovals {
  const initial = kept === undefined ? undefined : shape.safeParse(kept);
  if (initial?.success === false) {
    throw new FittingsError('CONFIG_INVALID', 'The list of approvals is malformed.', {
      cause: initial.error,
      hint: 'Delete it, and the questions will be asked again.',
    });
  }
  const servers = new Map<string, Map<string, string>>();
  for (const { server, tools } of initial?.data.servers ?? []) servers.set(server, pins(tools));
  const singles = new Map(initial?.data.tools.map((tool) => [keyOf(tool), tool]));

  return {
    forTool(tool) {
      const own = singles.get(keyOf(tool))?.digest;
      if (own === tool.digest) return 'tool';
      const all = servers.get(tool.server);
      const digest = all?.get(tool.tool);
      if (digest === tool.digest) return 'server';
      if (own !== undefined || digest !== undefined) return 'changed';
      return all === undefined ? 'none' : 'added';
    },
    addServer: (server, tools) => void servers.set(server, pins(tools)),
    addTool: ({ server, tool, digest }) =>
      void singles.set(keyOf({ server, tool }), { server, tool, digest }),
    removeServer(server) {
      servers.delete(server);
      for (const [key, tool] of singles) if (tool.server === server) singles.delete(key);
    },
    toJSON: () => ({
      version: 2,
      servers: Array.from(servers, ([server, tools]) => ({
        server,
        tools: Array.from(tools, ([tool, digest]) => ({ tool, digest })),
      })),
      tools: [...singles.values()],
    }),
  };
}

const pins = (tools: readonly { readonly tool: string; readonly digest: string }[]): Map<string, string> =>
  new Map(tools.map(({ tool, digest }) => [tool, digest]));

const keyOf = ({ server, tool }: { readonly server: string; readonly tool: string }): string =>
  JSON.stringify([server, tool]);
