import type { ToolRef } from '@mcp-fittings/host';

/**
 * Names for a tool, from the one to prefer to the one that says most. A later one is taken when an earlier one would
 * be shared by two tools. Must depend on nothing but the tool.
 */
export type NamingStrategy = (ref: ToolRef) => string | readonly [string, ...string[]];

/** The usual ways to name the tools of several servers. A host may bring its own function. */
export const naming = {
  /** `mcp__server__tool`. */
  mcpPrefixed: ({ server, tool }) => `mcp__${server}__${tool}`,
  /** `mcp_server_tool`. */
  mcpSingle: ({ server, tool }) => `mcp_${server}_${tool}`,
  /** `tool`; where two tools would share it, `server__tool` for each of them. */
  bare: ({ server, tool }) => [tool, `${server}__${tool}`],
  /** `server__tool`. */
  serverPrefixed: ({ server, tool }) => `${server}__${tool}`,
} as const satisfies Record<string, NamingStrategy>;
