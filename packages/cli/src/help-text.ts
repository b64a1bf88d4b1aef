/** Shown below the list of commands. */
export const EXAMPLES = `
Examples:
  fittings add everything -- npx -y @modelcontextprotocol/server-everything
  fittings status
  fittings list tools everything
  fittings call everything/echo --arg message=hi
  fittings add notion --url https://mcp.notion.com/mcp && fittings login notion
  fittings doctor notion
`;

export const EXIT_CODES = `
Exit codes:
  0  success                     4  sign-in required, or it failed
  1  failure                     5  approval required, or forbidden by a policy
  2  invalid usage               6  server unreachable, or no response in time
  3  invalid configuration     130  interrupted
`;

/** Examples of one command, for `addHelpText('after', …)`. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** For options that can be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
