import type { InteropClient } from '@mcp-fittings/config';

export type ProgramName = InteropClient;

/** Programs whose configuration can be read and written. */
export const FOREIGN_PROGRAMS = [
  'claude-code',
  'claude-desktop',
  'codex',
  'cursor',
  'gemini',
  'mcporter',
  'opencode',
  'vscode',
  'windsurf',
  'zed',
] as const satisfies readonly InteropClient[];
