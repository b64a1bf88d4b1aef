import { fileURLToPath } from 'node:url';

/** The Claude Code that the oldest version brings, and not that of the newest, which it would find first. */
export const programOfOldest = {
  pathToClaudeCodeExecutable: fileURLToPath(
    new URL('../node_modules/claude-agent-sdk-oldest/cli.js', import.meta.url),
  ),
};
