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
  0  done                        4  a sign-in is needed, or it failed
  1  it failed                   5  an approval is needed, or a policy forbids it
  2  invalid usage               6  the server cannot be reached
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
