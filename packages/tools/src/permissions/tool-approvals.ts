import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/**
 * The tools and servers that the user approved, in memory. Nothing is saved unless you save {@link ToolApprovals.toJSON}.
 * `server` is always the identity of a server (a digest of its entry), never its name.
 */
export interface ToolApprovals {
  /**
   * Returns what the user approved. `tool`: the tool, which has not changed since. `server`: all tools of its server. `changed`: the
   * tool as it was described before. `added`: its server before it had this tool. `none`: neither.
   */
  forTool(tool: ApprovedTool): 'tool' | 'server' | 'changed' | 'added' | 'none';
  /** Approves the tools that the server has now. A tool that is added or changed later is not approved. */
  addServer(server: string, tools: readonly Omit<ApprovedTool, 'server'>[]): void;
  /** Approves this tool as it is described now. */
  addTool(tool: ApprovedTool): void;
  /** Removes the approvals of a server and of all its tools. */
  removeServer(server: string): void;
  /**
   * Returns all approvals as JSON, for {@link createToolApprovals} in the next run. Save them where the files of a project cannot
   * write.
   */
  toJSON(): {
    version: 2;
    /** Approved servers, each with the tools that it had, as they were described then. */
    servers: { server: string; tools: { tool: string; digest: string }[] }[];
    /** Approved tools, each as it was described then. */
    tools: { server: string; tool: string; digest: string }[];
  };
}

/** A tool of a server as it is described at one time. */
export interface ApprovedTool {
  /** Identity of the server: `ServerSnapshot.identity`. */
  readonly server: string;
  /** Name that the server gives the tool. */
  readonly tool: string;
  /** Digest of the tool's whole description: `CatalogTool.digest`. */
  readonly digest: string;
}

const pinned = z.object({ tool: z.string(), digest: z.string() });
const single = pinned.extend({ server: z.string() });
const shape = z.object({
  version: z.literal(2),
  servers: z.array(z.object({ server: z.string(), tools: z.array(pinned) })),
  tools: z.array(single),
});

/**
 * Creates a list of approvals for {@link createToolPolicy}.
 * @param saved A parsed result of {@link ToolApprovals.toJSON}. Default: an empty list.
 * @throws {FittingsError} `CONFIG_INVALID` if `saved` is malformed.
 * @example
 * ```ts
 * const approvals = createToolApprovals(JSON.parse(await readFile('approvals.json', 'utf8')));
 * // after a question that was answered with `always-tool` or `always-server`
 * await writeFile('approvals.json', JSON.stringify(approvals));
 * ```
 */
export function createToolApprovals(saved?: unknown): ToolApprovals {
  const initial = saved === undefined ? undefined : shape.safeParse(saved);
  if (initial?.success === false) {
    throw new FittingsError('CONFIG_INVALID', 'The saved tool approvals are malformed.', {
      cause: initial.error,
      hint: 'Delete them. The user will be asked again.',
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
