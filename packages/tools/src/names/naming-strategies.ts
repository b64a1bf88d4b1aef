import type { ToolRef } from '@mcp-fittings/host';

/**
 * Returns the name that a model calls a tool by, or several names in order of preference. A later one is used if another tool
 * claims the earlier one. The result must depend on the tool only, so that a tool has the same name in every run.
 */
export type NamingStrategy = (ref: ToolRef) => string | readonly [string, ...string[]];

/**
 * The common ways to name the tools of several servers. Pass one of them, or a function of your own, as the option `naming`.
 * @example
 * ```ts
 * createTools(host, { naming: naming.bare });
 * createTools(host, { naming: ({ server, tool }) => `${tool}_at_${server}` });
 * ```
 */
export const naming = {
  /** `mcp__server__tool`. The default. */
  mcpPrefixed: ({ server, tool }) => `mcp__${server}__${tool}`,
  /** `mcp_server_tool`. */
  mcpSingle: ({ server, tool }) => `mcp_${server}_${tool}`,
  /** `tool`, or `server__tool` for each of several tools with the same name. */
  bare: ({ server, tool }) => [tool, `${server}__${tool}`],
  /** `server__tool`. */
  serverPrefixed: ({ server, tool }) => `${server}__${tool}`,
} as const satisfies Record<string, NamingStrategy>;
